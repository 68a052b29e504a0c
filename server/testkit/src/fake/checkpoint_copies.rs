//! How far checkpoints are copied out, and a place that takes them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{CheckpointCopies, CheckpointSink, ObjectError, StoreError, Uncopied};
use types::id::ProcessId;

use super::store::FakeStore;

#[async_trait]
impl CheckpointCopies for FakeStore {
    async fn lease_copies(&self, sink: &str, process_id: ProcessId, time: Duration) -> Result<bool, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        let is_taken = rows.copiers.get(sink).is_some_and(|(holder, until)| *holder != process_id && *until > now);
        if !is_taken {
            rows.copiers.insert(sink.to_owned(), (process_id, now + time));
        }
        Ok(!is_taken)
    }

    async fn list_uncopied(&self, sink: &str, limit: u32) -> Result<Vec<Uncopied>, StoreError> {
        let rows = self.rows();
        let is_next = |(scope, checkpoint): &&(Scope, _)| {
            let checkpoint: &kernel::chain::Checkpoint = checkpoint;
            let copied = rows.copies.get(&(sink.to_owned(), scope.workspace_id)).copied().unwrap_or_default();
            checkpoint.number == copied + 1
        };
        let waiting = rows.checkpoints.iter().filter(is_next).map(|(scope, checkpoint)| Uncopied {
            scope: *scope,
            checkpoint: checkpoint.clone(),
            since: checkpoint.sealed_at,
        });
        Ok(waiting.take(limit as usize).collect())
    }

    async fn mark_copied(&self, sink: &str, scope: Scope, number: u64) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let copied = rows.copies.entry((sink.to_owned(), scope.workspace_id)).or_default();
        *copied = number.max(*copied);
        Ok(())
    }
}

/// Name and bytes.
type Taken = (String, Vec<u8>);

/// A place for copies of checkpoints, which may be away. Clones share it.
#[derive(Clone, Default)]
pub struct FakeSink {
    taken: Arc<Mutex<Vec<Taken>>>,
    failure: Arc<Mutex<Option<ObjectError>>>,
}

impl FakeSink {
    /// What was taken, in order.
    pub fn taken(&self) -> Vec<(String, Vec<u8>)> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes nothing from now on, or everything again.
    pub fn fail(&self, failure: Option<ObjectError>) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }
}

#[async_trait]
impl CheckpointSink for FakeSink {
    async fn take(&self, name: &str, copy: Vec<u8>) -> Result<(), ObjectError> {
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            Some(failure) => Err(failure),
            None => {
                self.taken.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), copy));
                Ok(())
            }
        }
    }
}
