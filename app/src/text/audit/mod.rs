//! Texts of the audit.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

use types::chain::ChainProblem;

/// Texts of the audit.
pub(crate) struct Audit {
    pub(crate) title: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) no_match: &'static str,
    pub(crate) no_match_text: &'static str,
    pub(crate) wider: &'static str,
    pub(crate) outcome: &'static str,
    pub(crate) event: &'static str,
    pub(crate) actor: &'static str,
    pub(crate) actor_kind: &'static str,
    pub(crate) resource: &'static str,
    pub(crate) resource_type: &'static str,
    /// What a type of object is called; of an unknown one, its own word.
    pub(crate) object: fn(&str) -> &str,
    /// Which part of soit acted.
    pub(crate) part: fn(&str) -> &str,
    pub(crate) operation: &'static str,
    pub(crate) address: &'static str,
    pub(crate) credential: &'static str,
    pub(crate) run: &'static str,
    pub(crate) when: &'static str,
    pub(crate) number: fn(u64) -> String,
    pub(crate) changes: &'static str,
    pub(crate) member: &'static str,
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    pub(crate) unchanged: &'static str,
    pub(crate) details: &'static str,
    pub(crate) chain: &'static str,
    pub(crate) chain_entries: fn(&str) -> String,
    pub(crate) checkpoint: &'static str,
    pub(crate) no_checkpoint: &'static str,
    pub(crate) verify: &'static str,
    pub(crate) verified: fn(&str) -> String,
    /// The same, where there are more than are checked at once.
    pub(crate) verified_part: fn(&str) -> String,
    /// What the check in the browser says, as a JSON list in the order of `verify.js`.
    pub(crate) browser_check: &'static str,
    /// The number of the first wrong entry, and what is wrong.
    pub(crate) broken: fn(u64, &str) -> String,
    pub(crate) problem: fn(ChainProblem) -> &'static str,
    pub(crate) view_as: &'static str,
}
