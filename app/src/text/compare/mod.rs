//! Texts of two runs side by side, and of what people say of a run.

use types::compare::StepChange;

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of two runs side by side, and of what people say of a run.
pub(crate) struct Compare {
    pub(crate) title: &'static str,
    pub(crate) compare: &'static str,
    pub(crate) first: &'static str,
    pub(crate) second: &'static str,
    pub(crate) difference: &'static str,
    pub(crate) swap: &'static str,
    pub(crate) two_needed: &'static str,
    pub(crate) two_needed_text: &'static str,
    pub(crate) steps: &'static str,
    pub(crate) no_steps: &'static str,
    pub(crate) changed: fn(u64) -> String,
    pub(crate) alike: &'static str,
    pub(crate) changes: &'static str,
    pub(crate) change: fn(StepChange) -> &'static str,
    pub(crate) time: &'static str,
    pub(crate) same: &'static str,
    pub(crate) removed: &'static str,
    pub(crate) added: &'static str,
    pub(crate) feedback: &'static str,
    pub(crate) nobody: &'static str,
    pub(crate) up: &'static str,
    pub(crate) up_text: &'static str,
    pub(crate) down: &'static str,
    pub(crate) down_text: &'static str,
    pub(crate) rating: &'static str,
    pub(crate) labels: &'static str,
    pub(crate) labels_hint: &'static str,
    pub(crate) comment: &'static str,
    pub(crate) comment_hint: &'static str,
    pub(crate) comment_withheld: &'static str,
    pub(crate) send: &'static str,
    pub(crate) send_anew: &'static str,
    pub(crate) sent: &'static str,
    pub(crate) somebody: &'static str,
}
