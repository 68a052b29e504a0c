//! Reading how long workspaces keep what, what is held, and what purges did.

use async_trait::async_trait;
use types::id::{LegalHoldId, RetentionReportId, RunId, WorkspaceId};
use types::retention::RetentionBounds;

use super::StoreError;
use crate::context::Scope;
use crate::record::{LegalHold, Retention, RetentionReport};

/// How long a workspace keeps what: what was set, and what its tenant demands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptRules {
    /// What was set, if anything ever was.
    pub set: Option<Retention>,
    /// What binds every workspace of the tenant.
    pub bounds: RetentionBounds,
}

/// Reads retention. Writing goes through the ledger.
#[async_trait]
pub trait Retentions: Send + Sync {
    /// Of one workspace; none where there is no such workspace.
    async fn find_retention(&self, scope: Scope) -> Result<Option<KeptRules>, StoreError>;
    /// Of every workspace behind one, in order, at most `limit`.
    async fn list_retentions(
        &self,
        after: Option<WorkspaceId>,
        limit: u32,
    ) -> Result<Vec<(Scope, KeptRules)>, StoreError>;
    /// Every hold of a workspace, released ones too, in no order.
    async fn list_legal_holds(&self, scope: Scope) -> Result<Vec<LegalHold>, StoreError>;
    /// One hold.
    async fn find_legal_hold(&self, scope: Scope, id: LegalHoldId) -> Result<Option<LegalHold>, StoreError>;
    /// Which of these are no runs of the workspace.
    async fn unknown_runs(&self, scope: Scope, ids: &[RunId]) -> Result<Vec<RunId>, StoreError>;
    /// Reports of a workspace's purges, the newest first, at most `limit`, those behind one.
    async fn list_retention_reports(
        &self,
        scope: Scope,
        before: Option<RetentionReportId>,
        limit: u32,
    ) -> Result<Vec<RetentionReport>, StoreError>;
}
