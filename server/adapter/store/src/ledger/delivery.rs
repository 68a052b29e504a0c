//! What people decide about deliveries that were given up: rare, so one statement each.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use entity::delivery::{Column, Entity};
use kernel::context::Scope;
use kernel::ledger::{Resolution, Verdict};
use sea_orm::sea_query::{Expr, ExprTrait, UpdateStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryTrait};
use types::id::Uuid;

use crate::dialect::{LedgerTransaction, now};
use crate::error::Trouble;
use crate::row::number;

/// Moves deliveries that are still as dead as they were seen.
pub(super) async fn resolve(
    db: &mut LedgerTransaction,
    resolutions: Vec<(Scope, Arc<Resolution>)>,
) -> Result<(), Trouble> {
    for (scope, resolution) in resolutions {
        match db {
            LedgerTransaction::Pooled(session) => {
                session.execute(&statement(session.get_database_backend(), scope, &resolution)).await?;
            }
            LedgerTransaction::Inline { working, meter, .. } => {
                meter.statement();
                let built = DbBackend::Sqlite.build(&statement(DbBackend::Sqlite, scope, &resolution));
                working.execute(&built.sql, [built.values.map(|values| values.0).unwrap_or_default()])?;
            }
        }
    }
    Ok(())
}

fn statement(backend: DbBackend, scope: Scope, resolution: &Resolution) -> UpdateStatement {
    let update = Entity::update_many()
        .filter(Column::EventId.eq(resolution.delivery.event_id.as_uuid()))
        .filter(Column::Consumer.eq(resolution.delivery.consumer.as_str()))
        .filter(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(Column::Status.eq("dead"))
        .filter(Column::Epoch.eq(number(resolution.epoch)))
        .col_expr(Column::Epoch, Expr::col(Column::Epoch).add(1));
    let update = match &resolution.verdict {
        Verdict::Redrive => update
            .col_expr(Column::Status, Expr::val("pending"))
            .col_expr(Column::Attempts, Expr::val(0_i64))
            .col_expr(Column::Redrives, Expr::col(Column::Redrives).add(1))
            .col_expr(Column::DueAt, now(backend))
            .col_expr(Column::LeasedBy, Expr::val(None::<Uuid>))
            .col_expr(Column::FinishedAt, Expr::val(None::<DateTime<Utc>>)),
        Verdict::Discard(reason) => update
            .col_expr(Column::Status, Expr::val("discarded"))
            .col_expr(Column::DiscardReason, Expr::val(reason.as_str())),
    };
    update.into_query()
}
