//! Texts of budgets.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of budgets.
pub(crate) struct Budgets {
    pub(crate) alerts_only: &'static str,
    pub(crate) amount: &'static str,
    pub(crate) at_limit: &'static str,
    pub(crate) count: fn(usize) -> String,
    pub(crate) create: &'static str,
    pub(crate) currency: &'static str,
    pub(crate) currency_hint: &'static str,
    pub(crate) delete_question: fn(&str) -> String,
    pub(crate) delete_text: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) hard_stop: &'static str,
    pub(crate) hard_stop_hint: &'static str,
    pub(crate) held: fn(&str) -> String,
    pub(crate) new: &'static str,
    pub(crate) of: fn(&str) -> String,
    pub(crate) period: &'static str,
    pub(crate) period_hint: &'static str,
    pub(crate) refuses: &'static str,
    pub(crate) resets: &'static str,
    pub(crate) scope: &'static str,
    pub(crate) scope_key: fn(&str) -> String,
    pub(crate) spent: &'static str,
    pub(crate) state_unknown: &'static str,
    pub(crate) tab: &'static str,
    pub(crate) thresholds: &'static str,
    pub(crate) thresholds_hint: &'static str,
}
