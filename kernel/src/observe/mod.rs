//! Reading what happened and what happens: runs, their steps, costs and events; live streams; the home page's figures.
//!
//! Invariant: stored rows are the truth. A live event only wakes a reader or spares it a query. Start at [`Observe`].

mod announce;
mod audit;
mod dead_letter;
mod event;
mod export;
mod facets;
mod hint_stream;
mod reading;
mod rights;
mod run_stream;

pub use export::{Export, Receipt, Record};
pub use facets::facets;
pub use hint_stream::HintItem;
pub(crate) use reading::check as check_runs;
pub use reading::{Observe, Ports, Total};
pub use run_stream::RunItem;
