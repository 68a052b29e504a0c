//! Texts that many pages share.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts that many pages share.
pub(crate) struct Common {
    pub(crate) back: &'static str,
    pub(crate) cancel: &'static str,
    pub(crate) clear_filters: &'static str,
    pub(crate) close: &'static str,
    pub(crate) continue_: &'static str,
    pub(crate) copy: &'static str,
    pub(crate) created: &'static str,
    pub(crate) data: &'static str,
    pub(crate) delete: &'static str,
    pub(crate) disable: &'static str,
    pub(crate) disabled: &'static str,
    pub(crate) edit: &'static str,
    pub(crate) enable: &'static str,
    pub(crate) enabled: &'static str,
    pub(crate) estimated: &'static str,
    pub(crate) fields_need_attention: fn(usize) -> String,
    pub(crate) filters: &'static str,
    pub(crate) name: &'static str,
    pub(crate) never: &'static str,
    pub(crate) newest: &'static str,
    pub(crate) no_limit: &'static str,
    pub(crate) none: &'static str,
    pub(crate) older: &'static str,
    pub(crate) optional: &'static str,
    pub(crate) pages: &'static str,
    pub(crate) range: &'static str,
    pub(crate) range_between: fn(&str, &str) -> String,
    pub(crate) range_last: fn(&str) -> String,
    pub(crate) remove_filter: fn(&str) -> String,
    pub(crate) reload: &'static str,
    pub(crate) save: &'static str,
    pub(crate) saved: &'static str,
    pub(crate) shown_of: fn(&str, &str) -> String,
    pub(crate) span: fn(&str) -> &'static str,
    pub(crate) status: &'static str,
    pub(crate) told_added: &'static str,
    pub(crate) told_created: &'static str,
    pub(crate) told_deleted: &'static str,
    pub(crate) told_ended: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) unpriced: fn(u64) -> String,
    pub(crate) wrong_parameter: fn(&str) -> String,
}
