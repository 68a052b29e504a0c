//! Groups of members: subjects of grants. Made, read, changed, deleted.

mod create;
mod delete;
mod read;
mod rules;
mod update;

pub(super) use rules::present;
