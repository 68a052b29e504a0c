//! Texts of the second factor.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of the second factor.
pub(crate) struct SecondFactor {
    pub(crate) any_code_hint: &'static str,
    pub(crate) behind: &'static str,
    pub(crate) code: &'static str,
    pub(crate) code_hint: &'static str,
    pub(crate) codes: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) disable: &'static str,
    pub(crate) disabled: &'static str,
    pub(crate) download: &'static str,
    pub(crate) enabled: &'static str,
    pub(crate) enforced: &'static str,
    pub(crate) go_on: &'static str,
    pub(crate) left: fn(u32) -> String,
    pub(crate) manage: &'static str,
    pub(crate) needed: &'static str,
    pub(crate) needed_text: &'static str,
    pub(crate) off: &'static str,
    pub(crate) on: &'static str,
    pub(crate) open_app: &'static str,
    pub(crate) pending: &'static str,
    pub(crate) proven: &'static str,
    pub(crate) qr: &'static str,
    pub(crate) renew: &'static str,
    pub(crate) scan: &'static str,
    pub(crate) set_up: &'static str,
    pub(crate) set_up_anew: &'static str,
    pub(crate) title: &'static str,
    pub(crate) type_in: &'static str,
}
