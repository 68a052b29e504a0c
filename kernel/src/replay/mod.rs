//! Replaying runs, over their records alone.
//!
//! Four ways: to look at how a run went (`inspect`), to do it again (`rerun`), to repeat it from its record without any effect
//! (`reexecute`), and to go on from one of its steps with something changed (`fork`). What a run is made of is the business of
//! its mode: a [`Runner`] runs recorded runs of one mode, and whoever adds a mode adds one. Here are the record, its order, and
//! the rules that hold for every mode.
//!
//! Invariants: what was not kept whole is not replayed, a preview is no input. A repetition meets no port that has an effect
//! and books nothing. Repetitions and forks are rehearsals: outside production statistics, inside the budgets for what they
//! really do. Start at [`Replays`].

mod act;
mod inspect;
mod order;
mod prefix;
mod recorded;
mod recording;
mod runner;
mod show;

use std::sync::Arc;

pub use order::{Change, Order};
pub use recorded::Recorded;
pub use recording::{RecordedCall, Recording};
pub use runner::Runner;

pub(crate) use order::COMPARED;
pub(crate) use prefix::{REPLAY_OF, copied};

use crate::artifact::Library;
use crate::port::{Ids, Runs};

/// What replaying needs from the world.
pub struct Ports {
    /// Reading runs.
    pub runs: Arc<dyn Runs>,
    /// Reading what they keep whole.
    pub library: Library,
    /// Ids of new runs.
    pub ids: Arc<dyn Ids>,
    /// Who runs recorded runs, one for each mode that can be replayed.
    pub runners: Vec<Arc<dyn Runner>>,
}

/// Replays runs.
pub struct Replays {
    ports: Ports,
}

impl Replays {
    /// The use cases on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }
}

impl std::fmt::Debug for Replays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replays").finish_non_exhaustive()
    }
}
