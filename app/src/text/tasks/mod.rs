//! Texts of tasks, and of the erasing of content.

mod en;
mod zh_cn;

use types::task::TaskStatus;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of tasks, and of the erasing of content.
pub(crate) struct Tasks {
    pub(crate) title: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) no_match: &'static str,
    pub(crate) no_match_text: &'static str,
    pub(crate) status: fn(TaskStatus) -> &'static str,
    /// A type of task by its name; one that is not known is shown as it is.
    pub(crate) kind_name: fn(&str) -> &str,
    pub(crate) id: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) subject: &'static str,
    pub(crate) run: &'static str,
    pub(crate) attempts: &'static str,
    pub(crate) progress: &'static str,
    pub(crate) next: &'static str,
    pub(crate) error: &'static str,
    pub(crate) discarded: &'static str,
    pub(crate) finished: &'static str,
    pub(crate) params: &'static str,
    pub(crate) of: fn(&str, &str) -> String,
    pub(crate) cancel: &'static str,
    pub(crate) retry: &'static str,
    pub(crate) told_canceled: &'static str,
    pub(crate) told_retried: &'static str,
    pub(crate) scrub: &'static str,
    pub(crate) scrub_text: &'static str,
    pub(crate) scrub_question: &'static str,
    pub(crate) before: &'static str,
    pub(crate) before_hint: &'static str,
    pub(crate) told_scrubbing: &'static str,
}
