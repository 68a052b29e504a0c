//! How long workspaces keep what, what is held, and what purges did.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use entity::{legal_hold, legal_hold_run, retention, retention_report, run, tenant, workspace};
use kernel::context::Scope;
use kernel::port::{KeptRules, Retentions, StoreError};
use kernel::record::{LegalHold, RetentionReport};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use types::id::{LegalHoldId, RetentionReportId, RunId, Uuid, WorkspaceId};

use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl Retentions for Store {
    async fn find_retention(&self, scope: Scope) -> Result<Option<KeptRules>, StoreError> {
        let found = workspace::Entity::find_by_id(scope.workspace_id.as_uuid())
            .filter(workspace::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .all(&self.database().reader())
            .await
            .map_err(reading)?;
        Ok(self.rules(found).await.map_err(reading)?.into_iter().next().map(|(_, rules)| rules))
    }

    async fn list_retentions(
        &self,
        after: Option<WorkspaceId>,
        limit: u32,
    ) -> Result<Vec<(Scope, KeptRules)>, StoreError> {
        let mut query = workspace::Entity::find().order_by_asc(workspace::Column::Id).limit(u64::from(limit));
        if let Some(after) = after {
            query = query.filter(workspace::Column::Id.gt(after.as_uuid()));
        }
        let found = query.all(&self.database().reader()).await.map_err(reading)?;
        self.rules(found).await.map_err(reading)
    }

    async fn list_legal_holds(&self, scope: Scope) -> Result<Vec<LegalHold>, StoreError> {
        self.holds(scope, None).await.map_err(reading)
    }

    async fn find_legal_hold(&self, scope: Scope, id: LegalHoldId) -> Result<Option<LegalHold>, StoreError> {
        Ok(self.holds(scope, Some(id)).await.map_err(reading)?.pop())
    }

    async fn unknown_runs(&self, scope: Scope, ids: &[RunId]) -> Result<Vec<RunId>, StoreError> {
        self.strangers(scope, ids).await.map_err(reading)
    }

    async fn list_retention_reports(
        &self,
        scope: Scope,
        before: Option<RetentionReportId>,
        limit: u32,
    ) -> Result<Vec<RetentionReport>, StoreError> {
        self.reports(scope, before, limit).await.map_err(reading)
    }
}

impl Store {
    async fn rules(&self, workspaces: Vec<workspace::Model>) -> Result<Vec<(Scope, KeptRules)>, DbErr> {
        if workspaces.is_empty() {
            return Ok(Vec::new());
        }
        let db = &self.database().reader();
        let ids = workspaces.iter().map(|workspace| workspace.id);
        let set = retention::Entity::find().filter(retention::Column::WorkspaceId.is_in(ids)).all(db).await?;
        let mut set: HashMap<Uuid, retention::Model> = set.into_iter().map(|row| (row.workspace_id, row)).collect();
        let tenants = workspaces.iter().map(|workspace| workspace.tenant_id);
        let bounds: Vec<(Uuid, String)> = tenant::Entity::find()
            .select_only()
            .columns([tenant::Column::Id, tenant::Column::RetentionBounds])
            .filter(tenant::Column::Id.is_in(tenants))
            .into_tuple()
            .all(db)
            .await?;
        let bounds: HashMap<Uuid, String> = bounds.into_iter().collect();
        let rules = workspaces.into_iter().map(|workspace| {
            let bounds = bounds.get(&workspace.tenant_id).map_or("{}", String::as_str);
            let rules = KeptRules {
                set: set.remove(&workspace.id).map(|row| row::retention::record(&row)),
                bounds: row::document(bounds, "tenants.retention_bounds")?,
            };
            Ok((row::scope(workspace.tenant_id, workspace.id), rules))
        });
        rules.collect()
    }

    async fn holds(&self, scope: Scope, id: Option<LegalHoldId>) -> Result<Vec<LegalHold>, DbErr> {
        let db = &self.database().reader();
        let mut query = legal_hold::Entity::find()
            .filter(legal_hold::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .filter(legal_hold::Column::TenantId.eq(scope.tenant_id.as_uuid()));
        if let Some(id) = id {
            query = query.filter(legal_hold::Column::Id.eq(id.as_uuid()));
        }
        let rows = query.all(db).await?;
        let mut runs = runs_of(db, &rows).await?;
        let holds = rows.into_iter().map(|row| {
            let runs = runs.remove(&row.id).unwrap_or_default();
            row::legal_hold::record(row, runs)
        });
        Ok(holds.collect::<Result<_, _>>()?)
    }

    async fn strangers(&self, scope: Scope, ids: &[RunId]) -> Result<Vec<RunId>, DbErr> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let known: Vec<Uuid> = run::Entity::find()
            .select_only()
            .column(run::Column::Id)
            .filter(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .filter(run::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(run::Column::Id.is_in(ids.iter().map(|id| id.as_uuid())))
            .into_tuple()
            .all(&self.database().reader())
            .await?;
        let known: HashSet<Uuid> = known.into_iter().collect();
        Ok(ids.iter().copied().filter(|id| !known.contains(&id.as_uuid())).collect())
    }

    async fn reports(
        &self,
        scope: Scope,
        before: Option<RetentionReportId>,
        limit: u32,
    ) -> Result<Vec<RetentionReport>, DbErr> {
        use retention_report::{Column, Entity};
        let mut query = Entity::find()
            .filter(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .filter(Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .order_by_desc(Column::Id)
            .limit(u64::from(limit));
        if let Some(before) = before {
            query = query.filter(Column::Id.lt(before.as_uuid()));
        }
        let rows = query.all(&self.database().reader()).await?;
        Ok(rows.into_iter().map(row::retention_report::record).collect::<Result<_, _>>()?)
    }
}

/// The runs that holds name, by hold.
async fn runs_of<C: ConnectionTrait>(db: &C, holds: &[legal_hold::Model]) -> Result<HashMap<Uuid, Vec<Uuid>>, DbErr> {
    let naming: Vec<Uuid> = holds.iter().filter(|hold| hold.by_runs).map(|hold| hold.id).collect();
    if naming.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = legal_hold_run::Entity::find()
        .filter(legal_hold_run::Column::HoldId.is_in(naming))
        .order_by_asc(legal_hold_run::Column::RunId)
        .all(db)
        .await?;
    let mut runs: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
    rows.into_iter().for_each(|row| runs.entry(row.hold_id).or_default().push(row.run_id));
    Ok(runs)
}
