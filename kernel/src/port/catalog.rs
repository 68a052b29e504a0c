//! What a workspace has set up: read whole, kept in memory until its tenant's epoch moves.

use std::sync::Arc;

use async_trait::async_trait;
use types::budget::Budget;
use types::modelhub::{Model, Price, Provider};
use types::run::Capture;

use super::StoreError;
use crate::context::Scope;
use crate::record::{EgressLayer, Secret, Workspace};

/// Everything decisions of the governed path read about a workspace, at one epoch.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The epoch it was read at.
    pub auth_epoch: u64,
    /// The workspace's settings.
    pub workspace: Workspace,
    /// How much content its tenant lets it keep.
    pub tenant_capture: Capture,
    /// Provider accounts, oldest first.
    pub providers: Vec<Provider>,
    /// Models, oldest first.
    pub models: Vec<Model>,
    /// Prices, newest `valid_from` first.
    pub prices: Vec<Price>,
    /// Budgets that are not archived, oldest first.
    pub budgets: Vec<Budget>,
    /// The egress layer in force.
    pub egress: Option<EgressLayer>,
    /// Sealed secrets.
    pub secrets: Vec<Secret>,
}

impl Snapshot {
    /// How much content is kept: the strictest of tenant and workspace, which comes last.
    pub fn content_capture(&self) -> Capture {
        self.workspace.content_capture.max(self.tenant_capture)
    }
}

/// Reads what a workspace has set up.
#[async_trait]
pub trait Catalog: Send + Sync {
    /// The workspace's snapshot; may be as old as the last change this process knows of.
    async fn snapshot(&self, scope: Scope) -> Result<Option<Arc<Snapshot>>, StoreError>;
    /// Drops what is kept of the tenant: the next read is fresh.
    fn forget(&self, scope: Scope);
}
