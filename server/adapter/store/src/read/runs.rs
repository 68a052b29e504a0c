//! Runs and what belongs to them.

use std::cmp::Reverse;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use entity::{cost, run, run_event, step};
use kernel::context::Scope;
use kernel::ledger::{Counter, CounterKey, Fence};
use kernel::port::{EventRange, RunTally, Runs, Standing, StoreError};
use sea_orm::sea_query::{Alias, Asterisk, Expr, Query, UnionType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};
use types::budget::{Budget, BudgetHold};
use types::cost::Cost;
use types::id::{RunId, Uuid};
use types::page::Page;
use types::run::{Run, RunEvent, RunFilter, RunQuery, RunStatus, Step};

use super::{page, spend, standing, tally};
use crate::error::reading;
use crate::row;
use crate::store::Store;

/// Most events of one answer.
const MOST_EVENTS: u32 = 1_000;

#[async_trait]
impl Runs for Store {
    async fn list_runs(&self, scope: Scope, query: &RunQuery) -> Result<Page<Run>, StoreError> {
        page::page(&self.database().reader(), self.cursor_key(), scope, query).await
    }

    async fn find_run(&self, scope: Scope, id: RunId) -> Result<Option<Run>, StoreError> {
        self.run(scope, id).await.map_err(reading)
    }

    async fn find_run_and_replays(
        &self,
        scope: Scope,
        id: RunId,
        limit: u32,
    ) -> Result<Option<(Run, Vec<Run>)>, StoreError> {
        self.run_and_replays(scope, id, limit).await.map_err(reading)
    }

    async fn list_steps(&self, scope: Scope, id: RunId) -> Result<Vec<Step>, StoreError> {
        self.steps(scope, id).await.map_err(reading)
    }

    async fn list_costs(&self, scope: Scope, id: RunId) -> Result<Vec<Cost>, StoreError> {
        self.costs(scope, id).await.map_err(reading)
    }

    async fn list_run_events(&self, scope: Scope, id: RunId, range: EventRange) -> Result<Vec<RunEvent>, StoreError> {
        self.run_events(scope, id, range).await.map_err(reading)
    }

    async fn runs_changed_since(&self, since: DateTime<Utc>) -> Result<Vec<(Scope, RunId)>, StoreError> {
        self.changed_since(since).await.map_err(reading)
    }

    async fn list_changed(&self, scope: Scope, since: DateTime<Utc>, limit: u32) -> Result<Vec<RunId>, StoreError> {
        self.changed_in(scope, since, limit).await.map_err(reading)
    }

    async fn list_canceling(&self, owner: Fence) -> Result<Vec<RunId>, StoreError> {
        self.canceling(owner).await.map_err(reading)
    }

    async fn standing(&self, scope: Scope) -> Result<Standing, StoreError> {
        standing::standing(&self.database().reader(), scope).await.map_err(reading)
    }

    async fn counters(&self, scope: Scope, keys: &[CounterKey]) -> Result<Vec<Counter>, StoreError> {
        spend::counters(&self.database().reader(), scope, keys).await.map_err(reading)
    }

    async fn count_runs(&self, scope: Scope, filter: &RunFilter, up_to: u32) -> Result<u64, StoreError> {
        page::count(&self.database().reader(), scope, filter, up_to).await.map_err(reading)
    }

    async fn tally_runs(&self, scope: Scope, filter: &RunFilter, newest: u32) -> Result<RunTally, StoreError> {
        tally::tally(&self.database().reader(), scope, filter, newest).await.map_err(reading)
    }

    async fn uncounted(&self, scope: Scope, budget: &Budget, at: DateTime<Utc>) -> Result<i64, StoreError> {
        let snapshot = self.database().snapshot().await.map_err(reading)?;
        spend::uncounted(&snapshot, scope, budget, at).await.map_err(reading)
    }

    async fn list_open_holds(&self, scope: Scope, key: &CounterKey) -> Result<Vec<BudgetHold>, StoreError> {
        spend::open_holds(&self.database().reader(), scope, key).await.map_err(reading)
    }
}

impl Store {
    async fn run(&self, scope: Scope, id: RunId) -> Result<Option<Run>, DbErr> {
        let row = run::Entity::find_by_id(id.as_uuid())
            .filter(run::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        Ok(row.map(row::run::record).transpose()?)
    }

    /// By one statement in two parts, so that each part takes its own index.
    async fn run_and_replays(&self, scope: Scope, id: RunId, limit: u32) -> Result<Option<(Run, Vec<Run>)>, DbErr> {
        let within = || {
            run::Entity::find()
                .filter(run::Column::TenantId.eq(scope.tenant_id.as_uuid()))
                .filter(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        };
        let replays = within()
            .filter(run::Column::SourceRunId.eq(id.as_uuid()))
            .order_by_desc(run::Column::StartedAt)
            .order_by_desc(run::Column::Id)
            .limit(u64::from(limit));
        let mut part = Query::select();
        part.expr(Expr::col(Asterisk)).from_subquery(replays.into_query(), Alias::new("replays"));
        let mut whole = within().filter(run::Column::Id.eq(id.as_uuid())).into_query();
        whole.union(UnionType::All, part);
        let (mut found, mut replays) = (None, Vec::new());
        for row in self.database().reader().query_all(&whole).await? {
            let run = row::run::record(run::Model::from_query_result(&row, "")?)?;
            if run.id == id { found = Some(run) } else { replays.push(run) }
        }
        // A union promises no order.
        replays.sort_by_key(|run| Reverse((run.started_at, run.id)));
        Ok(found.map(|run| (run, replays)))
    }

    async fn steps(&self, scope: Scope, id: RunId) -> Result<Vec<Step>, DbErr> {
        let rows = step::Entity::find()
            .filter(step::Column::RunId.eq(id.as_uuid()))
            .filter(step::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(step::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .order_by_asc(step::Column::Seq)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::step::record).collect::<Result<_, _>>()?)
    }

    async fn costs(&self, scope: Scope, id: RunId) -> Result<Vec<Cost>, DbErr> {
        let rows = cost::Entity::find()
            .filter(cost::Column::RunId.eq(id.as_uuid()))
            .filter(cost::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(cost::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .order_by_asc(cost::Column::OccurredAt)
            .order_by_asc(cost::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::cost::record).collect::<Result<_, _>>()?)
    }

    async fn run_events(&self, scope: Scope, id: RunId, range: EventRange) -> Result<Vec<RunEvent>, DbErr> {
        let rows = run_event::Entity::find()
            .filter(run_event::Column::RunId.eq(id.as_uuid()))
            .filter(run_event::Column::Offset.gt(row::number(range.after)))
            .filter(run_event::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(run_event::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .order_by_asc(run_event::Column::Offset)
            .limit(u64::from(range.limit.clamp(1, MOST_EVENTS)))
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::run_event::record).collect::<Result<_, _>>()?)
    }

    async fn changed_in(&self, scope: Scope, since: DateTime<Utc>, limit: u32) -> Result<Vec<RunId>, DbErr> {
        let ids: Vec<Uuid> = run::Entity::find()
            .select_only()
            .column(run::Column::Id)
            .filter(run::Column::ChangedAt.gte(since))
            .filter(run::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .limit(u64::from(limit))
            .into_tuple()
            .all(&self.database().reader())
            .await?;
        Ok(ids.into_iter().map(RunId::from_uuid).collect())
    }

    async fn canceling(&self, owner: Fence) -> Result<Vec<RunId>, DbErr> {
        let ids: Vec<Uuid> = run::Entity::find()
            .select_only()
            .column(run::Column::Id)
            .filter(run::Column::OwnerProcessId.eq(owner.process_id.as_uuid()))
            .filter(run::Column::EndedAt.is_null())
            .filter(run::Column::Status.eq(RunStatus::Canceling.as_str()))
            .filter(run::Column::OwnerEpoch.eq(row::number(owner.epoch)))
            .into_tuple()
            .all(&self.database().reader())
            .await?;
        Ok(ids.into_iter().map(RunId::from_uuid).collect())
    }

    async fn changed_since(&self, since: DateTime<Utc>) -> Result<Vec<(Scope, RunId)>, DbErr> {
        let rows: Vec<(Uuid, Uuid, Uuid)> = run::Entity::find()
            .select_only()
            .columns([run::Column::TenantId, run::Column::WorkspaceId, run::Column::Id])
            .filter(run::Column::ChangedAt.gte(since))
            .order_by_asc(run::Column::ChangedAt)
            .into_tuple()
            .all(&self.database().reader())
            .await?;
        let named = |(tenant_id, workspace_id, id)| (row::scope(tenant_id, workspace_id), RunId::from_uuid(id));
        Ok(rows.into_iter().map(named).collect())
    }
}
