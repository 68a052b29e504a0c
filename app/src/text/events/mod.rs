//! Texts of events, dead letters and consumers.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of events, dead letters and consumers.
pub(crate) struct Events {
    pub(crate) title: &'static str,
    pub(crate) tab: &'static str,
    pub(crate) tab_dead: &'static str,
    pub(crate) tab_consumers: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) no_match: &'static str,
    pub(crate) no_match_text: &'static str,
    pub(crate) no_dead: &'static str,
    pub(crate) no_dead_text: &'static str,
    pub(crate) consumers_text: &'static str,
    pub(crate) event: &'static str,
    pub(crate) subject: &'static str,
    pub(crate) number: &'static str,
    pub(crate) payload: &'static str,
    pub(crate) run: &'static str,
    pub(crate) when: &'static str,
    pub(crate) consumer: &'static str,
    pub(crate) pending: &'static str,
    pub(crate) leased: &'static str,
    pub(crate) dead: &'static str,
    pub(crate) oldest: &'static str,
    pub(crate) p95: &'static str,
    pub(crate) error: &'static str,
    pub(crate) attempts: &'static str,
    pub(crate) died: &'static str,
    pub(crate) redrive: &'static str,
    pub(crate) redrive_all: &'static str,
    pub(crate) redrive_question: &'static str,
    pub(crate) redrive_text: &'static str,
    pub(crate) told_redriven: &'static str,
    pub(crate) discard: &'static str,
    pub(crate) discard_question: fn(&str) -> String,
    pub(crate) discard_text: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) reason_hint: &'static str,
    pub(crate) told_discarded: &'static str,
}
