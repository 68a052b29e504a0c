//! Sums of the counters of usage.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use entity::{run_count, usage_daily};
use kernel::context::Scope;
use kernel::ledger::Measure;
use kernel::port::{Counters, Difference, Recount, RunSum, StoreError, UsageSum};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, Iden, QueryResult};
use types::id::{ApiKeyId, Uuid, WorkspaceId};
use types::usage::{RunDimension, UsageDimension};

use super::roll::mark;
use crate::dialect::epoch_seconds;
use crate::error::reading;
use crate::row::{self, word};
use crate::store::Store;

#[async_trait]
impl Counters for Store {
    async fn list_usage(
        &self,
        scope: Scope,
        days: (DateTime<Utc>, DateTime<Utc>),
        by: Option<UsageDimension>,
        limit: u64,
    ) -> Result<Vec<UsageSum>, StoreError> {
        usage(&self.database().reader(), scope, days, by, limit).await.map_err(reading)
    }

    async fn list_run_sums(
        &self,
        scope: Scope,
        window: (DateTime<Utc>, DateTime<Utc>),
        seconds: i64,
        by: Option<RunDimension>,
    ) -> Result<Vec<RunSum>, StoreError> {
        run_sums(&self.database().reader(), scope, window, seconds, by).await.map_err(reading)
    }

    async fn recount(&self, recount: Recount) -> Result<Vec<Difference>, StoreError> {
        self.recount_all(recount).await.map_err(reading)
    }

    async fn is_filled(&self) -> Result<bool, StoreError> {
        let filled = mark(&self.database().reader(), super::recount::RECOUNTED).await;
        filled.map(|times| times > 0).map_err(reading)
    }

    async fn roll_up(&self, hours: DateTime<Utc>, days: DateTime<Utc>) -> Result<(), StoreError> {
        self.join_counts(hours, days).await.map_err(reading)
    }
}

pub(super) async fn usage<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    (from, to): (DateTime<Utc>, DateTime<Utc>),
    by: Option<UsageDimension>,
    limit: u64,
) -> Result<Vec<UsageSum>, DbErr> {
    use usage_daily::{Column, Entity};
    let column = by.map(|by| match by {
        UsageDimension::Entry => Column::Entry,
        UsageDimension::ApiKey => Column::ApiKeyId,
        UsageDimension::Caller => Column::CallerId,
        UsageDimension::Provider => Column::Provider,
        UsageDimension::Model => Column::Model,
        UsageDimension::Operation => Column::Operation,
        UsageDimension::Workspace => Column::WorkspaceId,
    });
    let own = (!scope.is_of_tenant()).then(|| Column::WorkspaceId.eq(scope.workspace_id.as_uuid()));
    let mut select = Query::select();
    select
        .columns([Column::Day, Column::Currency])
        .from(Entity)
        .cond_where(Condition::all().add_option(own))
        .and_where(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .and_where(Column::Day.gte(from))
        .and_where(Column::Day.lt(to))
        .and_where(Column::Sandbox.eq(false))
        .group_by_columns([Column::Day, Column::Currency])
        .order_by(Column::Day, sea_orm::Order::Asc)
        .limit(limit);
    let measures: Vec<Measure> = Measure::all().collect();
    for measure in &measures {
        sum(&mut select, row::usage::column(*measure));
    }
    if let Some(column) = column {
        select.column(column).group_by_col(column);
    }
    let rows = db.query_all(&select).await?;
    let read = |row: QueryResult| {
        let mut numbers = BTreeMap::new();
        for (measure, position) in measures.iter().zip(2..) {
            let n: i64 = row.try_get_by_index(position)?;
            if n != 0 {
                numbers.insert(*measure, n);
            }
        }
        let last = 2 + measures.len();
        let key = match by {
            None => None,
            Some(UsageDimension::ApiKey) => {
                let id: Option<Uuid> = row.try_get_by_index(last)?;
                id.map(|id| ApiKeyId::from_uuid(id).to_string())
            }
            Some(UsageDimension::Workspace) => {
                let id: Uuid = row.try_get_by_index(last)?;
                Some(WorkspaceId::from_uuid(id).to_string())
            }
            Some(_) => row.try_get_by_index(last)?,
        };
        let currency: Option<String> = row.try_get_by_index(1)?;
        let currency = currency.map(|currency| word(&currency, "usage_daily.currency")).transpose()?;
        Ok(UsageSum { day: row.try_get_by_index(0)?, key, currency, measures: numbers })
    };
    rows.into_iter().map(read).collect()
}

pub(super) async fn run_sums<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    (from, to): (DateTime<Utc>, DateTime<Utc>),
    seconds: i64,
    by: Option<RunDimension>,
) -> Result<Vec<RunSum>, DbErr> {
    use run_count::{Column, Entity};
    let column = by.map(|by| match by {
        RunDimension::Mode => Column::Mode,
        RunDimension::Source => Column::Source,
        RunDimension::Entry => Column::Entry,
    });
    let mut select = Query::select();
    select
        .expr(epoch_seconds(db.get_database_backend(), Column::StartsAt).div(seconds))
        .column(Column::Measure)
        .from(Entity)
        .cond_where(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .and_where(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .and_where(Column::StartsAt.gte(from))
        .and_where(Column::StartsAt.lt(to))
        .add_group_by([Expr::cust("1"), Expr::cust("2")]);
    sum(&mut select, Column::N);
    if let Some(column) = column {
        select.column(column).group_by_col(column);
    }
    let rows = db.query_all(&select).await?;
    let read = |row: QueryResult| {
        let bucket: i64 = row.try_get_by_index(0)?;
        let measure: String = row.try_get_by_index(1)?;
        Ok(RunSum {
            bucket: DateTime::from_timestamp(bucket.saturating_mul(seconds), 0).unwrap_or(from),
            key: if by.is_some() { row.try_get_by_index(3)? } else { None },
            measure: word(&measure, "run_counts.measure")?,
            n: row.try_get_by_index(2)?,
        })
    };
    rows.into_iter().map(read).collect()
}

fn sum(select: &mut SelectStatement, column: impl Iden) {
    select.expr(Expr::cust(format!("CAST(SUM(\"{}\") AS BIGINT)", column.unquoted())));
}
