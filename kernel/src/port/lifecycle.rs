//! The process around the domain: whether it may start something, and whether what runs has to end.

use futures::future::BoxFuture;

use crate::ledger::Fence;

/// Where this process stands in its life.
pub trait Lifecycle: Send + Sync {
    /// This process and its epoch; `None` once it must take itself for dead: it starts nothing then.
    fn fence(&self) -> Option<Fence>;
    /// Resolves when work in flight has to end now: shutdown ran out of time, or the process lost its fence.
    fn aborting(&self) -> BoxFuture<'static, ()>;
}
