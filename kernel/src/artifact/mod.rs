//! Content that is kept whole: long texts of runs, sealed answers, long details of the audit.
//!
//! Up to 16 KiB lie in the artifact's row. More lies in the artifact store, and is there before the batch is committed that
//! names it: a row never names what is not there, and an object that nobody names is harmless and swept later. Content that the
//! store does not take in time is not kept, and what would have held it says so: nothing that already happened waits for the
//! store without bound. Start at [`Keeper::keep`] and [`Library::open`].

mod audit;
mod keep;
mod mime;
mod read;
mod sweep;

pub use audit::{LongAudits, named_by};
pub use keep::{INLINE, Keeper, Kept, Of};
pub use read::{Library, Opened};
pub use sweep::{Sweeper, Swept};

pub(crate) use audit::restored;
