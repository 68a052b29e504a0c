//! Saved views: what narrows, orders and shows a list, kept under a name.
//!
//! A view is its owner's; a shared one is seen by everybody of the workspace, and with which view a list opens everybody says
//! for themselves. Not here: what a query means, which the pages of the console know. Start at [`Views::create_view`].

mod change;
mod create;
mod delete;
mod read;
mod rules;
mod update;

pub use change::{Ports, Views};
pub(crate) use rules::key;
