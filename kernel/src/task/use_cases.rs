//! What people do with tasks.

use std::sync::Arc;

use crate::control::Control;
use crate::port::{self, Ids, Ledger};

/// What the use cases need from the world.
pub struct Ports {
    /// Reading tasks.
    pub tasks: Arc<dyn port::Tasks>,
    /// Writing.
    pub ledger: Arc<dyn Ledger>,
    /// Pausing and resuming runs.
    pub control: Arc<Control>,
    /// Ids of what is made.
    pub ids: Arc<dyn Ids>,
}

/// Reads, ends and redrives tasks, and opens those that people ask for.
pub struct Tasks {
    pub(super) ports: Ports,
}

impl Tasks {
    /// The use cases on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tasks").finish_non_exhaustive()
    }
}
