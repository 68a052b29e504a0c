//! The use cases on their ports.

use std::sync::Arc;

use crate::context::OpContext;
use crate::error::Result;
use crate::policy::guard;
use crate::port::{Counters, Runs};

/// Reads counters of usage for those who may see runs and what they cost.
#[derive(Clone)]
pub struct UsageReports {
    pub(super) counters: Arc<dyn Counters>,
    pub(super) runs: Arc<dyn Runs>,
}

impl UsageReports {
    /// On the ports.
    pub fn new(counters: Arc<dyn Counters>, runs: Arc<dyn Runs>) -> Self {
        Self { counters, runs }
    }
}

/// Figures hold money beside numbers of runs.
pub(super) fn authorize(ctx: &OpContext) -> Result<()> {
    guard::authorize(ctx, "run.list")?;
    guard::authorize(ctx, "cost.read")
}
