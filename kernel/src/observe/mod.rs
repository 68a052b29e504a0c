//! Reading what happened and what happens: runs, their steps, costs and events; live streams; the home page's figures.
//!
//! Invariant: stored rows are the truth. A live event only wakes a reader or spares it a query. Start at [`Observe`].

mod announce;
mod artifact;
mod audit;
mod compare;
mod coverage;
mod dead_letter;
mod difference;
mod event;
mod export;
mod facets;
mod hint_stream;
mod journal;
mod reading;
mod rights;
mod run_stream;
mod trace;

pub use export::{Export, Window};
pub use facets::facets;
pub use hint_stream::HintItem;
pub use journal::{Journal, Receipt};
pub(crate) use reading::check as check_runs;
pub use reading::{Observe, Ports, Total, WholeRun};
pub use run_stream::RunItem;
pub use trace::TracedRun;
