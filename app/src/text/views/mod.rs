//! Texts of saved views.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of saved views.
pub(crate) struct Views {
    pub(crate) by: fn(&str) -> String,
    pub(crate) changed: &'static str,
    pub(crate) default: &'static str,
    pub(crate) default_hint: &'static str,
    pub(crate) delete_meaning: &'static str,
    pub(crate) delete_question: fn(&str) -> String,
    pub(crate) edit: fn(&str) -> String,
    pub(crate) edit_title: &'static str,
    pub(crate) gone: &'static str,
    pub(crate) is_default: &'static str,
    pub(crate) is_shared: &'static str,
    pub(crate) name_hint: &'static str,
    pub(crate) none: &'static str,
    pub(crate) save: &'static str,
    pub(crate) save_changes: &'static str,
    pub(crate) save_title: &'static str,
    pub(crate) shared: &'static str,
    pub(crate) shared_hint: &'static str,
    pub(crate) title: &'static str,
    pub(crate) told_saved: &'static str,
}
