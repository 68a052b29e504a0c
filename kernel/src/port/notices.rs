//! Word between processes that share a store: something was committed, look for yourself.

use async_trait::async_trait;
use futures::stream::BoxStream;
use types::id::ProcessId;

use super::StoreError;

/// What was committed, as far as other processes want to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// Epochs were raised.
    pub epochs: bool,
    /// Runs changed.
    pub runs: bool,
    /// Outbox events were emitted.
    pub events: bool,
    /// Tasks were opened or moved.
    pub tasks: bool,
}

impl Notice {
    /// Everything that either says.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            epochs: self.epochs || other.epochs,
            runs: self.runs || other.runs,
            events: self.events || other.events,
            tasks: self.tasks || other.tasks,
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Carries notices. They are hints: one may be lost, so nobody relies on them but to look sooner.
#[async_trait]
pub trait Notices: Send + Sync {
    /// Tells every other process, in a transaction of its own.
    async fn tell(&self, by: ProcessId, notice: Notice) -> Result<(), StoreError>;

    /// What other processes tell from now on; ends with an error when the connection broke. None where no other process
    /// can use the store.
    async fn listen(
        &self,
        own: ProcessId,
    ) -> Result<Option<BoxStream<'static, Result<Notice, StoreError>>>, StoreError>;
}
