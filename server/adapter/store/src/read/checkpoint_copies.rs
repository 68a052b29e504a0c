//! How far checkpoints are copied out.

use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use entity::{chain, chain_checkpoint, chain_copier, chain_copy};
use kernel::context::Scope;
use kernel::ledger::Durability;
use kernel::port::{CheckpointCopies, StoreError, Uncopied};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::sea_query::{Expr, ExprTrait, Func, OnConflict, Query, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable, Order};
use types::id::ProcessId;

use super::process::clock;
use crate::dialect::now;
use crate::error::reading;
use crate::row::{self, number};
use crate::store::Store;

#[async_trait]
impl CheckpointCopies for Store {
    async fn lease_copies(&self, sink: &str, process_id: ProcessId, time: Duration) -> Result<bool, StoreError> {
        self.lease(sink, process_id, time).await.map_err(reading)
    }

    async fn list_uncopied(&self, sink: &str, limit: u32) -> Result<Vec<Uncopied>, StoreError> {
        self.uncopied_checkpoints(sink, limit).await.map_err(reading)
    }

    async fn mark_copied(&self, sink: &str, scope: Scope, number: u64) -> Result<(), StoreError> {
        self.mark(sink, scope, number).await.map_err(reading)
    }
}

impl Store {
    /// The one statement decides: who finds the lease of another that is not over changes nothing.
    async fn lease(&self, sink: &str, process_id: ProcessId, time: Duration) -> Result<bool, DbErr> {
        use chain_copier::{ActiveModel, Column, Entity};
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let now = clock(db).await?;
        let until = now + TimeDelta::from_std(time).unwrap_or(TimeDelta::MAX);
        let row = ActiveModel { sink: Set(sink.to_owned()), process_id: Set(process_id.as_uuid()), until: Set(until) };
        let own = |column: Column| Expr::col((Entity, column));
        let is_free =
            Condition::any().add(own(Column::ProcessId).eq(process_id.as_uuid())).add(own(Column::Until).lte(now));
        let taken = OnConflict::column(Column::Sink)
            .update_columns([Column::ProcessId, Column::Until])
            .action_cond_where(is_free)
            .to_owned();
        match Entity::insert(row).on_conflict(taken).exec_without_returning(db).await {
            Ok(_) | Err(DbErr::RecordNotInserted) => {}
            Err(error) => return Err(error),
        }
        let holder = Entity::find_by_id(sink.to_owned()).one(db).await?;
        transaction.commit().await?;
        Ok(holder.is_some_and(|holder| holder.process_id == process_id.as_uuid()))
    }

    async fn uncopied_checkpoints(&self, sink: &str, limit: u32) -> Result<Vec<Uncopied>, DbErr> {
        use chain_checkpoint::{Column, Entity, Model};
        let copied = Query::select()
            .column((chain_copy::Entity, chain_copy::Column::Number))
            .from(chain_copy::Entity)
            .and_where(chain_copy::Column::Sink.eq(sink))
            .and_where(
                Expr::col((chain_copy::Entity, chain_copy::Column::WorkspaceId))
                    .equals((chain::Entity, chain::Column::WorkspaceId)),
            )
            .take();
        let copied: SimpleExpr =
            Func::coalesce([SimpleExpr::SubQuery(None, Box::new(copied.into())), Expr::val(0_i64)]).into();
        // One look-up a chain, however many checkpoints there are.
        let next = Condition::all()
            .add(Expr::col((Entity, Column::WorkspaceId)).equals((chain::Entity, chain::Column::WorkspaceId)))
            .add(Expr::col((Entity, Column::Number)).eq(copied.add(1_i64)));
        let asking = Query::select()
            .columns(Column::iter().map(|column| (Entity, column)))
            .from(chain::Entity)
            .inner_join(Entity, next)
            .order_by((Entity, Column::CreatedAt), Order::Asc)
            .limit(u64::from(limit))
            .to_owned();
        let rows = self.database().reader().query_all(&asking).await?;
        let uncopied = rows.iter().map(|row| {
            let row = Model::from_query_result(row, "")?;
            let (scope, since) = (row::scope(row.tenant_id, row.workspace_id), row.created_at);
            Ok(Uncopied { scope, since, checkpoint: row::chain_checkpoint::record(row)? })
        });
        uncopied.collect()
    }

    async fn mark(&self, sink: &str, scope: Scope, copied: u64) -> Result<(), DbErr> {
        use chain_copy::{ActiveModel, Column, Entity};
        let transaction = self.database().begin(Durability::Power).await?;
        let row = ActiveModel {
            sink: Set(sink.to_owned()),
            workspace_id: Set(scope.workspace_id.as_uuid()),
            tenant_id: Set(scope.tenant_id.as_uuid()),
            number: Set(number(copied)),
            copied_at: NotSet,
        };
        let further = OnConflict::columns([Column::Sink, Column::WorkspaceId])
            .update_column(Column::Number)
            .value(Column::CopiedAt, now(self.database().backend()))
            .action_cond_where(Condition::all().add(Expr::col((Entity, Column::Number)).lt(number(copied))))
            .to_owned();
        match Entity::insert(row).on_conflict(further).exec_without_returning(transaction.session()).await {
            Ok(_) | Err(DbErr::RecordNotInserted) => {}
            Err(error) => return Err(error),
        }
        transaction.commit().await
    }
}
