//! Tasks: those that may be taken, those whose worker is silent, and lists of them, newest first.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use entity::task::{Column, Entity, Model};
use kernel::context::Scope;
use kernel::ledger::Durability;
use kernel::port::{ReadyTask, StoreError, Tasks};
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use types::id::{TaskId, Uuid};
use types::page::Page;
use types::task::{Task, TaskFilter, TaskQuery, TaskStatus};

use super::filter::words;
use super::process::clock;
use crate::cursor::{micros, moment};
use crate::dialect::now;
use crate::error::reading;
use crate::row::{self, count};
use crate::store::Store;

/// Most tasks of a page.
const MOST: u32 = 200;
/// The states in which a task may be taken.
const READY: [TaskStatus; 2] = [TaskStatus::Queued, TaskStatus::RetryWait];

#[async_trait]
impl Tasks for Store {
    async fn ready_tasks(&self, types: &[&str], limit: u32) -> Result<Vec<ReadyTask>, StoreError> {
        self.ready(types, limit).await.map_err(reading)
    }

    async fn lapsed_tasks(&self, limit: u32) -> Result<Vec<(Scope, Task)>, StoreError> {
        self.lapsed(limit).await.map_err(reading)
    }

    async fn count_ready(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.ready_by_type().await.map_err(reading)
    }

    async fn list_tasks(&self, scope: Scope, query: &TaskQuery) -> Result<Page<Task>, StoreError> {
        let list = ("tasks", &query.filter);
        let cursor = query.cursor.as_deref();
        let before: Option<(i64, Uuid)> =
            cursor.map(|cursor| self.cursor_key().verify(scope, &list, cursor)).transpose()?;
        let before = before.map(|(at, id)| moment(at).map(|at| (at, id))).transpose()?;
        let limit = query.limit.clamp(1, MOST);
        let mut items = self.tasks(scope, &query.filter, before, u64::from(limit) + 1).await.map_err(reading)?;
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let last = items.last().filter(|_| more).map(|last| (micros(last.created_at), last.id.as_uuid()));
        let next_cursor = last.map(|last| self.cursor_key().sign(scope, &list, &last)).transpose()?;
        Ok(Page { items, next_cursor })
    }

    async fn find_task(&self, scope: Scope, id: TaskId) -> Result<Option<Task>, StoreError> {
        Ok(self.find_tasks(scope, &[id]).await?.pop())
    }

    async fn find_tasks(&self, scope: Scope, ids: &[TaskId]) -> Result<Vec<Task>, StoreError> {
        let ids = ids.iter().map(|id| id.as_uuid());
        let wanted = Entity::find().filter(within(scope)).filter(Column::Id.is_in(ids));
        let rows = wanted.all(&self.database().reader()).await.map_err(reading)?;
        records(rows).map_err(reading)
    }
}

impl Store {
    async fn ready(&self, types: &[&str], limit: u32) -> Result<Vec<ReadyTask>, DbErr> {
        let now = clock(&self.database().reader()).await?;
        let ready = Entity::find()
            .filter(is_any(&READY))
            .filter(Column::AvailableAt.lte(now))
            .filter(Column::TaskType.is_in(types.iter().copied()))
            .order_by_asc(Column::AvailableAt)
            .order_by_asc(Column::Id)
            .limit(u64::from(limit));
        let rows = match self.database().backend() {
            // Nobody else writes there.
            DbBackend::Sqlite => ready.all(&self.database().reader()).await?,
            // The locks end with the transaction, for nothing is taken yet.
            _ => {
                let transaction = self.database().begin(Durability::Process).await?;
                let free = ready.lock_with_behavior(LockType::NoKeyUpdate, LockBehavior::SkipLocked);
                let rows = free.all(transaction.session()).await?;
                transaction.rollback().await?;
                rows
            }
        };
        rows.into_iter()
            .map(|row| {
                let waited = (now - row.available_at).to_std().unwrap_or_default();
                Ok(ReadyTask { scope: scope_of(&row), task: row::task::record(row)?, waited })
            })
            .collect()
    }

    async fn lapsed(&self, limit: u32) -> Result<Vec<(Scope, Task)>, DbErr> {
        let db = &self.database().reader();
        let now = clock(db).await?;
        let rows = Entity::find()
            .filter(is_any(&[TaskStatus::Running]))
            .filter(Column::LeaseUntil.lte(now))
            .order_by_asc(Column::LeaseUntil)
            .order_by_asc(Column::Id)
            .limit(u64::from(limit))
            .all(db)
            .await?;
        rows.into_iter().map(|row| Ok((scope_of(&row), row::task::record(row)?))).collect()
    }

    async fn ready_by_type(&self) -> Result<Vec<(String, u64)>, DbErr> {
        let db = &self.database().reader();
        let now = clock(db).await?;
        let rows: Vec<(String, i64)> = Entity::find()
            .select_only()
            .column(Column::TaskType)
            .expr_as(Expr::cust("COUNT(*)"), "tasks")
            .filter(is_any(&READY))
            .filter(Column::AvailableAt.lte(now))
            .group_by(Column::TaskType)
            .order_by_asc(Column::TaskType)
            .into_tuple()
            .all(db)
            .await?;
        Ok(rows.into_iter().map(|(task_type, tasks)| (task_type, count(tasks))).collect())
    }

    async fn tasks(
        &self,
        scope: Scope,
        filter: &TaskFilter,
        before: Option<(DateTime<Utc>, Uuid)>,
        limit: u64,
    ) -> Result<Vec<Task>, DbErr> {
        let place = Expr::tuple([Expr::col(Column::CreatedAt), Expr::col(Column::Id)]);
        let before = before.map(|(at, id)| place.lt(Expr::tuple([Expr::val(at), Expr::val(id)])));
        let rows = Entity::find()
            .filter(matching(scope, filter))
            .filter(Condition::all().add_option(before))
            .order_by_desc(Column::CreatedAt)
            .order_by_desc(Column::Id)
            .limit(limit)
            .all(&self.database().reader())
            .await?;
        records(rows)
    }
}

/// Tasks of a process that is no more: nobody waits for the end of their leases.
pub(super) async fn end_leases(db: &impl ConnectionTrait, dead: SelectStatement) -> Result<(), DbErr> {
    let ended = Entity::update_many()
        .col_expr(Column::LeaseUntil, now(db.get_database_backend()))
        .filter(is_any(&[TaskStatus::Running]))
        .filter(Column::LeaseOwner.in_subquery(dead));
    ended.exec(db).await.map(|_| ())
}

/// In any of these states, as the indexes say it: with the words in the statement, or no database takes those.
pub(super) fn is_any(states: &[TaskStatus]) -> SimpleExpr {
    let words = states.iter().map(|status| SimpleExpr::Constant(status.as_str().into()));
    match states {
        [one] => Expr::col(Column::Status).eq(SimpleExpr::Constant(one.as_str().into())),
        _ => Expr::col(Column::Status).is_in(words),
    }
}

/// Several values of one filter mean *or*, different filters mean *and*.
fn matching(scope: Scope, filter: &TaskFilter) -> Condition {
    let runs = &filter.run_id;
    within(scope)
        .add(words(Column::Status, &filter.status))
        .add(words(Column::TaskType, &filter.task_type))
        .add(words(Column::SubjectId, &filter.subject_id))
        .add_option((!runs.is_empty()).then(|| Column::RunId.is_in(runs.iter().map(|id| id.as_uuid()))))
}

/// Of a workspace.
pub(super) fn within(scope: Scope) -> Condition {
    Condition::all()
        .add(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .add(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
}

fn scope_of(row: &Model) -> Scope {
    row::scope(row.tenant_id, row.workspace_id)
}

fn records(rows: Vec<Model>) -> Result<Vec<Task>, DbErr> {
    Ok(rows.into_iter().map(row::task::record).collect::<Result<_, _>>()?)
}
