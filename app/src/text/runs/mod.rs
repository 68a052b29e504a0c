//! Texts of the runs list.

use types::run::CanceledRuns;

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of the runs list.
pub(crate) struct Runs {
    pub(crate) live: &'static str,
    pub(crate) rehearsal: &'static str,
    pub(crate) sandbox: &'static str,
    pub(crate) all: &'static str,
    pub(crate) all_matching: fn(&str) -> String,
    pub(crate) at_least: fn(&str) -> String,
    pub(crate) at_least_short: fn(&str) -> String,
    pub(crate) cancel_meaning: &'static str,
    pub(crate) cancel_question: fn(&str) -> String,
    pub(crate) cancel_runs: &'static str,
    pub(crate) cancel_selected: &'static str,
    pub(crate) clear_selection: &'static str,
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
    pub(crate) keep_running: &'static str,
    pub(crate) move_earlier: fn(&str) -> String,
    pub(crate) move_later: fn(&str) -> String,
    pub(crate) select: fn(&str) -> String,
    pub(crate) select_page: &'static str,
    pub(crate) selected: fn(&str) -> String,
    pub(crate) so_many: fn(&str, bool) -> String,
    pub(crate) told_canceled: fn(&CanceledRuns) -> String,
    pub(crate) export_meaning: &'static str,
    pub(crate) export_question: fn(&str) -> String,
    pub(crate) export_selected: &'static str,
    pub(crate) export: &'static str,
    pub(crate) export_csv: &'static str,
    pub(crate) export_jsonl: &'static str,
}
