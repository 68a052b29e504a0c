//! How many calls wait for the store with their end: because it is slow, or because it cannot write it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The count.
#[derive(Clone, Debug, Default)]
pub(super) struct Deferred(Arc<AtomicUsize>);

impl Deferred {
    /// Counts a call until what comes back is dropped.
    pub(super) fn one_more(&self) -> Waiting {
        self.0.fetch_add(1, Ordering::Relaxed);
        Waiting(self.clone())
    }

    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// A call whose settlement waits for the store.
#[derive(Debug)]
pub(super) struct Waiting(Deferred);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
