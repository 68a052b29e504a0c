//! Tasks: work that outlives its request, tried until it is done or given up.
//!
//! What a type of task does is a [`TaskWork`], listed in [`TYPES`] and registered once where the server is composed. A
//! [`Worker`] takes ready tasks for a lease, renews it while it is at them and writes how they ended; the reaper takes back
//! what a dead or silent worker has; people read, cancel and redrive through [`Tasks`].
//!
//! Invariant: a task is one worker's at a time, under the epoch of its claim. Work may be done twice (a worker may die after
//! its effect), so every [`TaskWork`] does no harm when it is repeated.

mod backoff;
mod cancel;
mod end;
mod hold;
mod lapse;
mod progress;
mod read;
mod redrive;
mod registry;
mod scrub;
mod use_cases;
mod work;
mod worker;

pub use end::{FAILED, REDRIVEN};
pub(crate) use lapse::lapse;
pub use progress::Progress;
pub(crate) use redrive::redriving;
pub use registry::{MAX_ATTEMPTS, TYPES, is_known};
pub use scrub::{CONTENT_SCRUB, ContentScrub};
pub use use_cases::{Ports, Tasks};
pub use work::{Claimed, Outcome, TaskError, TaskWork};
pub use worker::{Taken, Worker, WorkerPorts};
