//! Texts of one run.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of one run.
pub(crate) struct Run {
    pub(crate) amount: &'static str,
    pub(crate) attempt: fn(u32) -> String,
    pub(crate) basis: &'static str,
    pub(crate) caller: &'static str,
    pub(crate) characters: fn(&str) -> String,
    pub(crate) chars_of: fn(&str, &str) -> String,
    pub(crate) class: &'static str,
    pub(crate) cost: &'static str,
    pub(crate) decision: &'static str,
    pub(crate) details: &'static str,
    pub(crate) effect: &'static str,
    pub(crate) event: &'static str,
    pub(crate) first_token: &'static str,
    pub(crate) flags: &'static str,
    pub(crate) gate: fn(&str) -> Option<&'static str>,
    pub(crate) input: &'static str,
    pub(crate) key: &'static str,
    pub(crate) latency: &'static str,
    pub(crate) metrics: &'static str,
    pub(crate) model: &'static str,
    pub(crate) more_events: &'static str,
    pub(crate) no_decision: &'static str,
    pub(crate) no_events: &'static str,
    pub(crate) no_step: &'static str,
    pub(crate) output_so_far: &'static str,
    pub(crate) waiting_for_output: &'static str,
    pub(crate) no_steps: &'static str,
    pub(crate) no_steps_text: &'static str,
    pub(crate) not_charged: &'static str,
    pub(crate) not_delivered: &'static str,
    pub(crate) outbound: &'static str,
    pub(crate) output: &'static str,
    pub(crate) policy: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) rate: &'static str,
    pub(crate) refusals: fn(u32) -> String,
    pub(crate) request: &'static str,
    pub(crate) started: &'static str,
    pub(crate) step: &'static str,
    pub(crate) steps: &'static str,
    pub(crate) time: &'static str,
    pub(crate) tokens: &'static str,
    pub(crate) trace: &'static str,
    pub(crate) views: &'static str,
    pub(crate) view_log: &'static str,
    pub(crate) view_timeline: &'static str,
    pub(crate) view_tree: &'static str,
    pub(crate) withheld: &'static str,
}
