//! Texts of the kit: what its samples are called. The samples themselves speak with the texts of their areas.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of the kit.
pub(crate) struct Kit {
    pub(crate) section: fn(&str) -> &'static str,
    pub(crate) text: &'static str,
    pub(crate) title: &'static str,
}
