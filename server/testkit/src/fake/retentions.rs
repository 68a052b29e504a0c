//! Reading how long workspaces keep what. No tenant of the fake binds its workspaces.

use std::cmp::Reverse;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{KeptRules, Retentions, StoreError};
use kernel::record::{LegalHold, RetentionReport, Row};
use types::id::{LegalHoldId, RetentionReportId, RunId, WorkspaceId};
use types::retention::RetentionBounds;

use super::store::{FakeStore, Rows, rows};

impl Rows {
    fn kept_rules(&self, scope: Scope) -> KeptRules {
        let set = rows!(self, Retention).find(|row| row.scope == scope).cloned();
        KeptRules { set, bounds: RetentionBounds::default() }
    }
}

#[async_trait]
impl Retentions for FakeStore {
    async fn find_retention(&self, scope: Scope) -> Result<Option<KeptRules>, StoreError> {
        let rows = self.rows();
        let mut here =
            rows!(rows, Workspace).filter(|row| (row.tenant_id, row.id) == (scope.tenant_id, scope.workspace_id));
        Ok(here.next().map(|_| rows.kept_rules(scope)))
    }

    async fn list_retentions(
        &self,
        after: Option<WorkspaceId>,
        limit: u32,
    ) -> Result<Vec<(Scope, KeptRules)>, StoreError> {
        let rows = self.rows();
        let all = rows!(rows, Workspace).filter(|row| after.is_none_or(|after| after < row.id));
        let mut scopes: Vec<Scope> = all.map(|row| Scope { tenant_id: row.tenant_id, workspace_id: row.id }).collect();
        scopes.sort_by_key(|scope| scope.workspace_id);
        scopes.truncate(limit as usize);
        Ok(scopes.into_iter().map(|scope| (scope, rows.kept_rules(scope))).collect())
    }

    async fn list_legal_holds(&self, scope: Scope) -> Result<Vec<LegalHold>, StoreError> {
        Ok(rows!(self.rows(), LegalHold).filter(|hold| hold.scope == scope).cloned().collect())
    }

    async fn find_legal_hold(&self, scope: Scope, id: LegalHoldId) -> Result<Option<LegalHold>, StoreError> {
        Ok(rows!(self.rows(), LegalHold).find(|hold| hold.scope == scope && hold.id == id).cloned())
    }

    async fn unknown_runs(&self, scope: Scope, ids: &[RunId]) -> Result<Vec<RunId>, StoreError> {
        let rows = self.rows();
        let is_here = |id: &RunId| rows.runs.get(id).is_some_and(|run| run.scope == scope);
        Ok(ids.iter().copied().filter(|id| !is_here(id)).collect())
    }

    async fn list_retention_reports(
        &self,
        scope: Scope,
        before: Option<RetentionReportId>,
        limit: u32,
    ) -> Result<Vec<RetentionReport>, StoreError> {
        let rows = self.rows();
        let here = rows!(rows, RetentionReport).filter(|report| report.scope == scope);
        let mut reports: Vec<RetentionReport> =
            here.filter(|report| before.is_none_or(|before| report.id < before)).cloned().collect();
        reports.sort_by_key(|report| Reverse(report.id));
        reports.truncate(limit as usize);
        Ok(reports)
    }
}
