//! Texts of egress rules.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of egress rules.
pub(crate) struct Egress {
    pub(crate) accept: &'static str,
    pub(crate) add: &'static str,
    pub(crate) allowed: &'static str,
    pub(crate) close: &'static str,
    pub(crate) count: fn(usize) -> String,
    pub(crate) denied: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) empty_text: &'static str,
    pub(crate) explain: &'static str,
    pub(crate) host: &'static str,
    pub(crate) host_hint: &'static str,
    pub(crate) missing: fn(&str) -> String,
    pub(crate) missing_private: fn(&str, &str) -> String,
    pub(crate) never_openable: fn(&str) -> String,
    pub(crate) not_openable: fn(&str) -> String,
    pub(crate) note: &'static str,
    pub(crate) own_port: &'static str,
    pub(crate) ports: &'static str,
    pub(crate) ports_hint: &'static str,
    pub(crate) private_networks: &'static str,
    pub(crate) private_networks_text: &'static str,
    pub(crate) remove: &'static str,
    pub(crate) rules: &'static str,
    pub(crate) scheme: &'static str,
    pub(crate) unknown: &'static str,
}
