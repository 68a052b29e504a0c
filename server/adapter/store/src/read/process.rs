//! Processes: who is alive by the database's clock.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use entity::process::{ActiveModel, Column, Entity};
use kernel::ledger::{Durability, Fence};
use kernel::port::{DeadWork, ProcessRow, Processes, StoreError};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::sea_query::{Expr, LockType, Query};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use types::id::ProcessId;

use super::outbox::LEASED;
use super::{reaper, tasks};
use crate::dialect::now;
use crate::error::reading;
use crate::row::{count, number};
use crate::store::Store;

#[async_trait]
impl Processes for Store {
    async fn register(&self, id: ProcessId, role: &str, version: &str, alone: bool) -> Result<Fence, StoreError> {
        self.register_process(id, role, version, alone).await.map_err(reading)
    }

    async fn beat(&self, fence: Fence) -> Result<bool, StoreError> {
        self.beat_process(fence).await.map_err(reading)
    }

    async fn bury(&self, silence: Duration) -> Result<u64, StoreError> {
        self.bury_processes(silence).await.map_err(reading)
    }

    async fn close(&self, fence: Fence) -> Result<(), StoreError> {
        self.close_process(fence).await.map_err(reading)
    }

    async fn dead_work(&self, limit: u32) -> Result<Vec<DeadWork>, StoreError> {
        let snapshot = self.database().snapshot().await.map_err(reading)?;
        reaper::dead_work(&snapshot, limit).await.map_err(reading)
    }

    async fn list_alive(&self) -> Result<Vec<ProcessRow>, StoreError> {
        self.alive_processes().await.map_err(reading)
    }

    async fn database_now(&self) -> Result<DateTime<Utc>, StoreError> {
        clock(&self.database().reader()).await.map_err(reading)
    }
}

/// The database's clock.
pub(crate) async fn clock<C: ConnectionTrait>(db: &C) -> Result<DateTime<Utc>, DbErr> {
    let asking = Query::select().expr(now(db.get_database_backend())).to_owned();
    let row = db.query_one(&asking).await?;
    row.ok_or_else(|| DbErr::Custom("the database tells no time".to_owned()))?.try_get_by_index(0)
}

/// What dead processes were about to deliver is due again, and their tasks lapse: no lease is waited for. Their own answers come
/// too late, for the next claim raises the epoch.
async fn release_work(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    use entity::delivery;
    let dead = Query::select().column(Column::Id).from(Entity).and_where(Column::Alive.eq(false)).to_owned();
    tasks::end_leases(db, dead.clone()).await?;
    let released = delivery::Entity::update_many()
        .col_expr(delivery::Column::DueAt, now(db.get_database_backend()))
        .filter(delivery::Column::FinishedAt.is_null())
        .filter(delivery::Column::Status.eq(LEASED))
        .filter(delivery::Column::LeasedBy.in_subquery(dead));
    released.exec(db).await.map(|_| ())
}

impl Store {
    async fn register_process(&self, id: ProcessId, role: &str, version: &str, alone: bool) -> Result<Fence, DbErr> {
        let transaction = self.database().begin(Durability::Power).await?;
        let db = transaction.session();
        if alone {
            Entity::update_many().col_expr(Column::Alive, Expr::val(false)).exec(db).await?;
            release_work(db).await?;
        }
        let known = Entity::find_by_id(id.as_uuid()).lock(LockType::NoKeyUpdate).one(db).await?;
        let epoch = known.as_ref().map_or(1, |row| row.epoch + 1);
        let row = ActiveModel {
            id: Set(id.as_uuid()),
            epoch: Set(epoch),
            role: Set(role.to_owned()),
            version: Set(version.to_owned()),
            alive: Set(true),
            beat_at: Set(clock(db).await?),
            created_at: NotSet,
        };
        match known {
            Some(_) => row.update(db).await.map(|_| ())?,
            None => Entity::insert(row).exec_without_returning(db).await.map(|_| ())?,
        }
        transaction.commit().await?;
        Ok(Fence { process_id: id, epoch: count(epoch) })
    }

    async fn beat_process(&self, fence: Fence) -> Result<bool, DbErr> {
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let beaten = Entity::update_many()
            .col_expr(Column::BeatAt, now(self.database().backend()))
            .filter(Column::Id.eq(fence.process_id.as_uuid()))
            .filter(Column::Epoch.eq(number(fence.epoch)))
            .filter(Column::Alive.eq(true))
            .exec(db)
            .await?;
        transaction.commit().await?;
        Ok(beaten.rows_affected == 1)
    }

    /// What a dead process started and did not end is found afterwards: a batch it has under way either is committed
    /// before (its row is locked) or refused after.
    async fn bury_processes(&self, silence: Duration) -> Result<u64, DbErr> {
        let transaction = self.database().begin(Durability::Power).await?;
        let db = transaction.session();
        let silent_since = clock(db).await? - TimeDelta::from_std(silence).unwrap_or(TimeDelta::MAX);
        let buried = Entity::update_many()
            .col_expr(Column::Alive, Expr::val(false))
            .filter(Column::Alive.eq(true))
            .filter(Column::BeatAt.lte(silent_since))
            .exec(db)
            .await?;
        if buried.rows_affected > 0 {
            release_work(db).await?;
        }
        transaction.commit().await?;
        Ok(buried.rows_affected)
    }

    async fn close_process(&self, fence: Fence) -> Result<(), DbErr> {
        let transaction = self.database().begin(Durability::Power).await?;
        let db = transaction.session();
        Entity::update_many()
            .col_expr(Column::Alive, Expr::val(false))
            .filter(Column::Id.eq(fence.process_id.as_uuid()))
            .filter(Column::Epoch.eq(number(fence.epoch)))
            .exec(db)
            .await?;
        release_work(db).await?;
        transaction.commit().await
    }

    async fn alive_processes(&self) -> Result<Vec<ProcessRow>, DbErr> {
        let rows = Entity::find()
            .filter(Column::Alive.eq(true))
            .order_by_asc(Column::CreatedAt)
            .order_by_asc(Column::Id)
            .all(&self.database().reader())
            .await?;
        let named = |row: entity::process::Model| ProcessRow {
            fence: Fence { process_id: ProcessId::from_uuid(row.id), epoch: count(row.epoch) },
            role: row.role,
            version: row.version,
            beat_at: row.beat_at,
        };
        Ok(rows.into_iter().map(named).collect())
    }
}
