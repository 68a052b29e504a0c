//! `/audit`: who did what, newest first, narrowed by filters; `/audit/{seq}`: one row, before and after.

mod chain;
mod detail;
mod difference;
mod list;

pub(crate) use detail::AuditEntry;
pub(crate) use list::Audit;
pub(super) use list::actor;
