//! Texts of the signed-out pages.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of the signed-out pages.
pub(crate) struct SignIn {
    pub(crate) code: &'static str,
    pub(crate) code_hint: &'static str,
    pub(crate) code_title: &'static str,
    pub(crate) email: &'static str,
    pub(crate) ended: &'static str,
    pub(crate) ended_text: fn(&str) -> String,
    pub(crate) language: &'static str,
    pub(crate) other: &'static str,
    pub(crate) password: &'static str,
    pub(crate) signed_out: &'static str,
    pub(crate) start_again: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) title: &'static str,
    pub(crate) wait: fn(&str) -> String,
}
