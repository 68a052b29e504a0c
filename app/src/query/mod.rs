//! What the address bar says: every state of a list is a URL, read leniently and written canonically.
//!
//! A wrong value falls back to its default and is named in a notice; unknown parameters are kept by whoever writes the next
//! URL. Not here: which page a path leads to (`route`).

mod audit;
mod params;
mod range;
mod runs;
mod tasks;
mod view;

/// The zone a page is shown in, and typed times are read in: an IANA name.
pub(crate) const ZONE: &str = "tz";

pub(crate) use audit::{AUDIT_FILTERS, EVENT_FILTERS, TimeQuery};
pub use audit::{audit_of, events_of};
pub use params::Params;
pub use range::{Range, Span};
pub(crate) use runs::{FILTERS as RUN_FILTERS, PICK, PICK_ALL, Picked, RunColumn, RunsQuery, SEARCH, picked_of};
pub use runs::{misread, runs_of, within};
pub(crate) use tasks::{TASK_FILTERS, TasksQuery};
pub(crate) use view::{NO_VIEW, PASSING, VIEW, in_view, is_changed, kept_of, opening, view_of};
