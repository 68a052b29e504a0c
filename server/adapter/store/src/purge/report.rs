//! Reports: who works at a pass, and what it did so far.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use entity::retention_report::{Column, Entity, Model};
use kernel::context::Scope;
use kernel::ledger::Durability;
use kernel::record::RetentionReport;
use sea_orm::sea_query::{Expr, ExprTrait, LockType, OnConflict};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use types::id::{RetentionReportId, Uuid};
use types::retention::PurgeCounts;

use crate::read::clock;
use crate::row;
use crate::store::Store;

fn later(now: DateTime<Utc>, lease: Duration) -> DateTime<Utc> {
    now + TimeDelta::from_std(lease).unwrap_or(TimeDelta::MAX)
}

impl Store {
    pub(super) async fn claim_pass(
        &self,
        scope: Scope,
        id: RetentionReportId,
        by: Uuid,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, DbErr> {
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let now = clock(db).await?;
        let fresh = RetentionReport {
            id,
            scope,
            started_at: now,
            finished_at: None,
            claimed_by: by,
            claimed_until: later(now, lease),
            purged: PurgeCounts::new(),
            version: 1,
        };
        // Of those that begin at once, and of one that goes on: one is not over.
        let absent = OnConflict::new().do_nothing().to_owned();
        let row = row::retention_report::active(&fresh)?;
        match Entity::insert(row).on_conflict(absent).exec_without_returning(db).await {
            Ok(_) | Err(DbErr::RecordNotInserted) => {}
            Err(error) => return Err(error),
        }
        let present = Entity::find()
            .filter(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .filter(Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(Column::FinishedAt.is_null())
            .lock(LockType::NoKeyUpdate)
            .one(db)
            .await?;
        let present = present.filter(|row| row.claimed_by == by || row.claimed_until <= now);
        let claimed = match present {
            Some(row) => Some(take(db, row, by, later(now, lease)).await?),
            None => None,
        };
        transaction.commit().await?;
        Ok(claimed)
    }

    pub(super) async fn renew_pass(
        &self,
        report: &RetentionReport,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, DbErr> {
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let present = mine(report).lock(LockType::NoKeyUpdate).one(db).await?;
        let renewed = match present {
            Some(row) => Some(take(db, row, report.claimed_by, later(clock(db).await?, lease)).await?),
            None => None,
        };
        transaction.commit().await?;
        Ok(renewed)
    }

    pub(super) async fn drop_pass(&self, report: &RetentionReport) -> Result<(), DbErr> {
        let transaction = self.database().begin(Durability::Process).await?;
        Entity::delete_many()
            .filter(Column::Id.eq(report.id.as_uuid()))
            .filter(Column::ClaimedBy.eq(report.claimed_by))
            .filter(Column::FinishedAt.is_null())
            .filter(Column::Purged.eq("{}"))
            .exec(transaction.session())
            .await?;
        transaction.commit().await
    }
}

fn mine(report: &RetentionReport) -> sea_orm::Select<Entity> {
    Entity::find_by_id(report.id.as_uuid())
        .filter(Column::TenantId.eq(report.scope.tenant_id.as_uuid()))
        .filter(Column::ClaimedBy.eq(report.claimed_by))
        .filter(Column::FinishedAt.is_null())
}

/// Lends a report to somebody until a time.
async fn take<C: ConnectionTrait>(
    db: &C,
    row: Model,
    by: Uuid,
    until: DateTime<Utc>,
) -> Result<RetentionReport, DbErr> {
    let lent = Entity::update_many()
        .col_expr(Column::ClaimedBy, Expr::val(by))
        .col_expr(Column::ClaimedUntil, Expr::val(until))
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::Id.eq(row.id));
    lent.exec(db).await?;
    let version = row.version + 1;
    Ok(row::retention_report::record(Model { claimed_by: by, claimed_until: until, version, ..row })?)
}

/// Adds to what a report counts, if there is one.
pub(super) async fn add<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    id: RetentionReportId,
    purged: &PurgeCounts,
) -> Result<(), DbErr> {
    let present = Entity::find_by_id(id.as_uuid())
        .filter(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(Column::FinishedAt.is_null())
        .lock(LockType::NoKeyUpdate)
        .one(db)
        .await?;
    let Some(row) = present else { return Ok(()) };
    let mut report = row::retention_report::record(row)?;
    for (what, number) in purged {
        let sum = report.purged.entry(*what).or_default();
        *sum = sum.saturating_add(*number);
    }
    let counted = row::text(&report.purged, "retention_reports.purged")?;
    Entity::update_many()
        .col_expr(Column::Purged, Expr::val(counted))
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::Id.eq(id.as_uuid()))
        .exec(db)
        .await?;
    Ok(())
}
