//! Texts of the home page.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of the home page.
pub(crate) struct Home {
    pub(crate) active: &'static str,
    pub(crate) active_note: &'static str,
    pub(crate) all_runs: &'static str,
    pub(crate) bucket: fn(&str, u64, u64, u64) -> String,
    pub(crate) bucket_start: &'static str,
    pub(crate) chart: fn(u64, u64, u64) -> String,
    pub(crate) failure_rate: &'static str,
    pub(crate) failed_runs: fn(&str) -> String,
    pub(crate) figures: &'static str,
    pub(crate) first_call: &'static str,
    pub(crate) first_call_text: &'static str,
    pub(crate) first_steps: &'static str,
    pub(crate) first_steps_text: &'static str,
    pub(crate) median: fn(&str) -> String,
    pub(crate) no_ended_runs: &'static str,
    pub(crate) nothing_running: &'static str,
    pub(crate) nothing_running_text: &'static str,
    pub(crate) outcomes: &'static str,
    pub(crate) p95: &'static str,
    pub(crate) refused: &'static str,
    pub(crate) refused_note: &'static str,
    pub(crate) running_now: &'static str,
    pub(crate) runs: &'static str,
    pub(crate) series: [&'static str; 4],
    pub(crate) setup_budget: [&'static str; 2],
    pub(crate) setup_key: [&'static str; 2],
    pub(crate) setup_provider: [&'static str; 2],
    pub(crate) setup_run: [&'static str; 2],
    pub(crate) spend: &'static str,
    pub(crate) title: &'static str,
    pub(crate) versus: fn(&str) -> String,
    pub(crate) at_most: &'static str,
}
