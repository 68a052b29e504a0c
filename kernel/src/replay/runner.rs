//! Who runs recorded runs of one mode.

use std::sync::Arc;

use async_trait::async_trait;
use types::id::RunId;
use types::run::Mode;

use super::order::Order;
use super::recorded::Recorded;
use crate::context::OpContext;
use crate::error::Result;

/// Runs recorded runs of one mode.
#[async_trait]
pub trait Runner: Send + Sync {
    /// Of which mode.
    fn mode(&self) -> Mode;

    /// Runs a recorded run as ordered, by the very path its like take. Answers once the new run is durably begun, and once it
    /// is over where nothing of it is live. A refusal is a run that failed, which the error names.
    async fn start(self: Arc<Self>, ctx: OpContext, recorded: Recorded, order: Order) -> Result<RunId>;
}
