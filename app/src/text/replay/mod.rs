//! Texts of runs that come out of others.

mod en;
mod zh_cn;

use types::replay::{ReplayKind, ReplayTools};

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of runs that come out of others.
pub(crate) struct Replay {
    pub(crate) again: &'static str,
    pub(crate) again_text: &'static str,
    pub(crate) begun: &'static str,
    pub(crate) came_out: fn(ReplayKind) -> &'static str,
    pub(crate) changed: fn(&str) -> String,
    pub(crate) compare: &'static str,
    pub(crate) difference: &'static str,
    pub(crate) diverged: fn(u32) -> String,
    pub(crate) earlier: &'static str,
    pub(crate) fork: &'static str,
    pub(crate) fork_text: &'static str,
    pub(crate) from: &'static str,
    pub(crate) from_start: &'static str,
    pub(crate) identical: &'static str,
    pub(crate) input: &'static str,
    pub(crate) input_hint: &'static str,
    pub(crate) inspect: &'static str,
    pub(crate) inspect_text: &'static str,
    pub(crate) later: &'static str,
    pub(crate) model: &'static str,
    pub(crate) model_hint: &'static str,
    pub(crate) no_moment: &'static str,
    pub(crate) not_kept: &'static str,
    pub(crate) of_step: &'static str,
    pub(crate) params: &'static str,
    pub(crate) params_hint: &'static str,
    pub(crate) prompt: &'static str,
    pub(crate) prompt_hint: &'static str,
    pub(crate) recorded: fn(u32) -> String,
    pub(crate) reexecute: &'static str,
    pub(crate) reexecute_text: &'static str,
    pub(crate) replays: &'static str,
    pub(crate) source: &'static str,
    pub(crate) steps: fn(&str, &str) -> String,
    pub(crate) stood: &'static str,
    pub(crate) title: &'static str,
    pub(crate) tool: fn(ReplayTools) -> &'static str,
    pub(crate) tools: &'static str,
    pub(crate) tools_hint: &'static str,
}
