//! The use cases on their port.

use std::sync::Arc;

use crate::context::OpContext;
use crate::error::Result;
use crate::policy::guard;
use crate::port::Counters;

/// Reads counters of usage for those who may see runs and what they cost.
#[derive(Clone)]
pub struct UsageReports {
    pub(super) counters: Arc<dyn Counters>,
}

impl UsageReports {
    /// On the port.
    pub fn new(counters: Arc<dyn Counters>) -> Self {
        Self { counters }
    }
}

/// Figures hold money beside numbers of runs.
pub(super) fn authorize(ctx: &OpContext) -> Result<()> {
    guard::authorize(ctx, "run.list")?;
    guard::authorize(ctx, "cost.read")
}
