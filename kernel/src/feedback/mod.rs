//! What people say of runs: a thumb, words, a comment; one of each person, the last one counts.
//!
//! Invariant: a comment is content. It is kept only where the run and its workspace keep content, and stands in no log, no
//! audit row and no error. Start at [`Feedback`].

mod give;
mod read;

use std::sync::Arc;

use crate::port::{Directory, Feedbacks, Ids, Ledger, Runs};

/// What feedback needs from the world.
pub struct Ports {
    /// Reading runs.
    pub runs: Arc<dyn Runs>,
    /// Reading what was said.
    pub feedbacks: Arc<dyn Feedbacks>,
    /// Reading who said it, and what the workspace keeps.
    pub directory: Arc<dyn Directory>,
    /// Writing.
    pub ledger: Arc<dyn Ledger>,
    /// Ids of what is made.
    pub ids: Arc<dyn Ids>,
}

/// What people say of runs.
pub struct Feedback {
    ports: Ports,
}

impl std::fmt::Debug for Feedback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Feedback").finish_non_exhaustive()
    }
}

impl Feedback {
    /// The use cases on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }
}
