//! Texts of members and invitations, and of the page that accepts one.

mod en;
mod zh_cn;

use types::identity::Role;
use types::problem::Code;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of members and invitations.
pub(crate) struct Access {
    pub(crate) accept: &'static str,
    pub(crate) accept_text: &'static str,
    pub(crate) accept_title: &'static str,
    pub(crate) change_role: &'static str,
    pub(crate) count: fn(usize) -> String,
    pub(crate) create_invitation: &'static str,
    pub(crate) email: &'static str,
    pub(crate) email_hint: &'static str,
    pub(crate) expires: &'static str,
    pub(crate) gone: &'static str,
    pub(crate) gone_text: &'static str,
    pub(crate) has_account: &'static str,
    pub(crate) invitations: &'static str,
    pub(crate) invite: &'static str,
    pub(crate) invited_by: &'static str,
    pub(crate) joined: &'static str,
    pub(crate) leave: &'static str,
    pub(crate) leave_question: &'static str,
    pub(crate) leave_text: &'static str,
    pub(crate) link_ready: &'static str,
    pub(crate) link_ready_text: &'static str,
    pub(crate) name_hint: &'static str,
    pub(crate) no_invitations: &'static str,
    pub(crate) no_invitations_text: &'static str,
    pub(crate) password_hint: &'static str,
    pub(crate) people: &'static str,
    pub(crate) refused: fn(Code) -> Option<&'static str>,
    pub(crate) remove: &'static str,
    pub(crate) remove_question: fn(&str) -> String,
    pub(crate) remove_text: &'static str,
    pub(crate) reveal: &'static str,
    pub(crate) reveal_title: fn(&str) -> String,
    pub(crate) revoke: &'static str,
    pub(crate) role: &'static str,
    pub(crate) role_meaning: fn(Role) -> &'static str,
    pub(crate) show_link: &'static str,
    pub(crate) tenant_role: &'static str,
    pub(crate) title: &'static str,
    pub(crate) to_list: &'static str,
    pub(crate) token: &'static str,
    pub(crate) token_hint: &'static str,
    pub(crate) told_removed: &'static str,
    pub(crate) told_revoked: &'static str,
    pub(crate) told_role: &'static str,
    pub(crate) you: &'static str,
    pub(crate) view_as: &'static str,
    pub(crate) view_as_text: &'static str,
}
