//! Texts of accounts: passwords forgotten, addresses confirmed, accounts made and closed.

mod en;
mod zh_cn;

use types::problem::Code;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of accounts.
pub(crate) struct Account {
    pub(crate) change_email: &'static str,
    pub(crate) change_email_hint: &'static str,
    pub(crate) close: &'static str,
    pub(crate) close_question: &'static str,
    pub(crate) close_text: &'static str,
    pub(crate) closing: &'static str,
    pub(crate) code: &'static str,
    pub(crate) code_hint: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) confirm_text: &'static str,
    pub(crate) confirm_title: &'static str,
    pub(crate) confirmed: &'static str,
    pub(crate) forgot: &'static str,
    pub(crate) forgot_by_hand: &'static str,
    pub(crate) forgot_text: &'static str,
    pub(crate) forgot_title: &'static str,
    pub(crate) go_on: &'static str,
    pub(crate) invitation_sent: fn(&str) -> String,
    pub(crate) invitation_sent_title: &'static str,
    pub(crate) keep: &'static str,
    pub(crate) mail_sent: &'static str,
    pub(crate) new_email: &'static str,
    pub(crate) not_offered: &'static str,
    pub(crate) not_verified: &'static str,
    pub(crate) password_set: &'static str,
    pub(crate) refused: fn(Code) -> Option<&'static str>,
    pub(crate) register: &'static str,
    pub(crate) register_sent: &'static str,
    pub(crate) register_text: &'static str,
    pub(crate) register_title: &'static str,
    pub(crate) reset: &'static str,
    pub(crate) reset_sent: &'static str,
    pub(crate) reset_text: &'static str,
    pub(crate) reset_title: &'static str,
    pub(crate) send_link: &'static str,
    pub(crate) to_sign_in: &'static str,
    pub(crate) told_closing: &'static str,
    pub(crate) told_kept: &'static str,
    pub(crate) verified: &'static str,
    pub(crate) verify: &'static str,
}
