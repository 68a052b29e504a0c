//! Texts of service principals, groups and grants.

mod en;
mod zh_cn;

use types::access::{GrantAction, PrincipalStatus};
use types::identity::Role;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of service principals, groups and grants.
pub(crate) struct Subjects {
    pub(crate) action: fn(GrantAction) -> &'static str,
    pub(crate) allows: &'static str,
    pub(crate) change: &'static str,
    pub(crate) count_grants: fn(usize) -> String,
    pub(crate) count_groups: fn(usize) -> String,
    pub(crate) count_members: fn(usize) -> String,
    pub(crate) count_principals: fn(usize) -> String,
    pub(crate) create_grant: &'static str,
    pub(crate) create_group: &'static str,
    pub(crate) create_principal: &'static str,
    pub(crate) delete_group: &'static str,
    pub(crate) delete_group_question: fn(&str) -> String,
    pub(crate) delete_group_text: &'static str,
    pub(crate) disable: &'static str,
    pub(crate) effective_role: &'static str,
    pub(crate) enable: &'static str,
    pub(crate) ends: &'static str,
    pub(crate) gone_owner: &'static str,
    pub(crate) grants: &'static str,
    pub(crate) group: &'static str,
    pub(crate) groups: &'static str,
    pub(crate) granted_by: &'static str,
    pub(crate) keys: &'static str,
    pub(crate) last_day: &'static str,
    pub(crate) last_day_hint: &'static str,
    pub(crate) members: &'static str,
    pub(crate) myself: &'static str,
    pub(crate) name_hint: &'static str,
    pub(crate) never: &'static str,
    pub(crate) new_grant: &'static str,
    pub(crate) new_group: &'static str,
    pub(crate) new_key: &'static str,
    pub(crate) new_principal: &'static str,
    pub(crate) no_grants: &'static str,
    pub(crate) no_grants_text: &'static str,
    pub(crate) no_groups: &'static str,
    pub(crate) no_groups_text: &'static str,
    pub(crate) no_keys: &'static str,
    pub(crate) no_models: &'static str,
    pub(crate) no_models_text: &'static str,
    pub(crate) no_principals: &'static str,
    pub(crate) no_principals_text: &'static str,
    pub(crate) owner: &'static str,
    pub(crate) owner_hint: &'static str,
    pub(crate) person: &'static str,
    pub(crate) principal: &'static str,
    pub(crate) principals: &'static str,
    pub(crate) resource: &'static str,
    pub(crate) revoke: &'static str,
    pub(crate) role: &'static str,
    pub(crate) role_meaning: fn(Role) -> &'static str,
    pub(crate) status: fn(PrincipalStatus) -> &'static str,
    pub(crate) subject: &'static str,
    pub(crate) told_revoked: &'static str,
}
