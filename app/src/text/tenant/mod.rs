//! Texts of tenants' pages and of those of who runs the instance.

mod en;
mod zh_cn;

use types::identity::TenantRole;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of tenants' pages and of those of who runs the instance.
pub(crate) struct Tenant {
    pub(crate) activate: &'static str,
    pub(crate) active: &'static str,
    pub(crate) add_hint: &'static str,
    pub(crate) add_member: &'static str,
    pub(crate) archive: &'static str,
    pub(crate) archive_question: fn(&str) -> String,
    pub(crate) archive_text: &'static str,
    pub(crate) archived: &'static str,
    pub(crate) archived_banner: &'static str,
    pub(crate) calls: &'static str,
    pub(crate) capture: &'static str,
    pub(crate) ceilings_text: &'static str,
    pub(crate) check: &'static str,
    pub(crate) cost: &'static str,
    pub(crate) create: &'static str,
    pub(crate) day: &'static str,
    pub(crate) delete_question: fn(&str) -> String,
    pub(crate) delete_text: &'static str,
    pub(crate) detail: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) find_address: &'static str,
    pub(crate) join: &'static str,
    pub(crate) make: fn(TenantRole) -> &'static str,
    pub(crate) new_tenant: &'static str,
    pub(crate) new_workspace: &'static str,
    pub(crate) no_usage: &'static str,
    pub(crate) no_usage_text: &'static str,
    pub(crate) operator: &'static str,
    pub(crate) owner_email: &'static str,
    pub(crate) owner_hint: &'static str,
    pub(crate) remove_text: &'static str,
    pub(crate) rename: &'static str,
    pub(crate) restore: &'static str,
    pub(crate) section: fn(&str) -> &'static str,
    pub(crate) slug_hint: &'static str,
    pub(crate) suspend: &'static str,
    pub(crate) suspended: &'static str,
    pub(crate) title: &'static str,
    pub(crate) tokens: &'static str,
    pub(crate) version: &'static str,
    pub(crate) workspace: &'static str,
}
