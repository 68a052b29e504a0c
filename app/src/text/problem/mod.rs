//! Texts of refusals and failures, by their code. The server's own words about the case at hand stand beneath, as it wrote them.

mod en;
mod zh_cn;

use types::identity::Role;
use types::problem::Code;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of refusals and failures.
pub(crate) struct Problems {
    pub(crate) title: fn(Code) -> String,
    pub(crate) conflict: &'static str,
    pub(crate) cut: fn(&str) -> String,
    pub(crate) denied: &'static str,
    pub(crate) denied_text: &'static str,
    pub(crate) go_home: &'static str,
    pub(crate) needs: fn(&str, &[Role]) -> String,
    pub(crate) not_found: &'static str,
    pub(crate) not_found_text: &'static str,
    pub(crate) not_loaded: &'static str,
    pub(crate) not_loaded_text: &'static str,
    pub(crate) password: &'static str,
    pub(crate) request: &'static str,
    pub(crate) resumed: &'static str,
    pub(crate) retry: &'static str,
    pub(crate) retry_after: fn(u64) -> String,
    pub(crate) secret_again: &'static str,
    pub(crate) sign_in_again: &'static str,
    pub(crate) sign_in_hint: &'static str,
    pub(crate) step_up: &'static str,
    pub(crate) step_up_provider: &'static str,
    pub(crate) step_up_go: &'static str,
    pub(crate) step_up_code: &'static str,
    pub(crate) step_up_submit: &'static str,
    pub(crate) step_up_done: &'static str,
    pub(crate) wrong_password: &'static str,
}
