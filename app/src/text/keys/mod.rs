//! Texts of API keys.

mod en;
mod zh_cn;

use types::identity::Scope;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of API keys.
pub(crate) struct Keys {
    pub(crate) addresses: &'static str,
    pub(crate) addresses_hint: &'static str,
    pub(crate) any_address: &'static str,
    pub(crate) any_model: &'static str,
    pub(crate) bites_first: &'static str,
    pub(crate) count: fn(usize) -> String,
    pub(crate) create: &'static str,
    pub(crate) created_by: &'static str,
    pub(crate) days: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) expires: &'static str,
    pub(crate) expires_hint: &'static str,
    pub(crate) gone: &'static str,
    pub(crate) gone_text: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) last_used: &'static str,
    pub(crate) limit: fn(&str) -> &'static str,
    pub(crate) limits: &'static str,
    pub(crate) models: &'static str,
    pub(crate) models_hint: &'static str,
    pub(crate) name_hint: &'static str,
    pub(crate) new: &'static str,
    pub(crate) no_limits: &'static str,
    pub(crate) openai_node: &'static str,
    pub(crate) openai_python: &'static str,
    pub(crate) overlap: &'static str,
    pub(crate) overlap_hint: &'static str,
    pub(crate) overlap_options: [&'static str; 4],
    pub(crate) requests_per_day: &'static str,
    pub(crate) requests_per_minute: &'static str,
    pub(crate) reveal: &'static str,
    pub(crate) reveal_title: fn(&str) -> String,
    pub(crate) revoke: &'static str,
    pub(crate) revoke_question: fn(&str) -> String,
    pub(crate) revoke_text: &'static str,
    pub(crate) rotate: &'static str,
    pub(crate) rotate_question: fn(&str) -> String,
    pub(crate) rotate_text: &'static str,
    pub(crate) scope: &'static str,
    pub(crate) scope_meaning: fn(Scope) -> &'static str,
    pub(crate) set_budget: &'static str,
    pub(crate) shell: &'static str,
    pub(crate) show: &'static str,
    pub(crate) spent_month: &'static str,
    pub(crate) stale: &'static str,
    pub(crate) steps: [&'static str; 3],
    pub(crate) tab: &'static str,
    pub(crate) title: &'static str,
    pub(crate) to_list: &'static str,
    pub(crate) tokens_per_day: &'static str,
    pub(crate) try_it: &'static str,
    pub(crate) told_revoked: &'static str,
    pub(crate) type_name: fn(&str) -> String,
    pub(crate) waits: &'static str,
    pub(crate) waits_text: &'static str,
}
