//! What a consumer does.

use async_trait::async_trait;

use crate::error::Result;
use crate::port::Delivery;

/// Takes deliveries of events, at least once each, in order within a subject. Invariant: the same one twice does no harm.
#[async_trait]
pub trait Consumer: Send + Sync {
    /// Its name in [`crate::outbox::SUBSCRIPTIONS`].
    fn name(&self) -> &'static str;
    /// Does what an event asks of it. An error lets it be tried again later, and later events of its subject wait.
    async fn deliver(&self, delivery: &Delivery) -> Result<()>;
}
