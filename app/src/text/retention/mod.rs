//! Texts of retention and legal holds.

mod en;
mod zh_cn;

use types::retention::{Purged, RetentionClass};

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of retention and legal holds.
pub(crate) struct Retention {
    pub(crate) title: &'static str,
    pub(crate) explain: &'static str,
    pub(crate) class: fn(RetentionClass) -> &'static str,
    pub(crate) class_hint: fn(RetentionClass) -> &'static str,
    pub(crate) days: &'static str,
    pub(crate) for_good: &'static str,
    pub(crate) effective: &'static str,
    pub(crate) reports: &'static str,
    pub(crate) no_reports: &'static str,
    pub(crate) no_reports_text: &'static str,
    pub(crate) began: &'static str,
    pub(crate) ended: &'static str,
    pub(crate) purged: &'static str,
    pub(crate) what: fn(Purged) -> &'static str,
    pub(crate) holds: &'static str,
    pub(crate) holds_text: &'static str,
    pub(crate) no_holds: &'static str,
    pub(crate) filter: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) reason_hint: &'static str,
    pub(crate) holding: &'static str,
    pub(crate) released: &'static str,
    pub(crate) runs_named: fn(usize) -> String,
    pub(crate) run_ids: &'static str,
    pub(crate) run_ids_hint: &'static str,
    pub(crate) caller: &'static str,
    pub(crate) caller_hint: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) day_hint: &'static str,
    pub(crate) create: &'static str,
    pub(crate) release: &'static str,
    pub(crate) release_question: fn(&str) -> String,
    pub(crate) release_text: &'static str,
    pub(crate) told_released: &'static str,
}
