//! Texts of the runs list.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of the runs list.
pub(crate) struct Runs {
    pub(crate) at_least: fn(&str) -> String,
    pub(crate) at_least_short: fn(&str) -> String,
    pub(crate) columns: &'static str,
    pub(crate) cost: &'static str,
    pub(crate) duration: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) entry: &'static str,
    pub(crate) in_range: fn(&str, &str) -> String,
    pub(crate) key: &'static str,
    pub(crate) mode: &'static str,
    pub(crate) model: &'static str,
    pub(crate) new_activity: &'static str,
    pub(crate) new_runs: fn(u64) -> String,
    pub(crate) no_match: &'static str,
    pub(crate) no_match_text: &'static str,
    pub(crate) open: &'static str,
    pub(crate) peek: &'static str,
    pub(crate) run: &'static str,
    pub(crate) search_hint: &'static str,
    pub(crate) started: &'static str,
    pub(crate) title: &'static str,
    pub(crate) tokens: &'static str,
    pub(crate) wider: &'static str,
    pub(crate) export: &'static str,
    pub(crate) export_csv: &'static str,
    pub(crate) export_jsonl: &'static str,
}
