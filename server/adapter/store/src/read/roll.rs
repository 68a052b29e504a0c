//! Makes old rows of counters coarser, and remembers up to when: who recounts must compare like with like.

use chrono::{DateTime, Utc};
use entity::{run_count, sequence};
use kernel::ledger::{DAY, HOUR, MINUTE, truncated};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use types::id::Uuid;

use crate::dialect::joined;
use crate::store::Store;

/// Up to when rows of minutes are joined, and rows of hours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    hours: DateTime<Utc>,
    days: DateTime<Utc>,
}

impl Marks {
    /// What is remembered.
    pub(super) async fn read<C: ConnectionTrait>(db: &C) -> Result<Self, DbErr> {
        let at = |seconds: i64| DateTime::from_timestamp(seconds, 0).unwrap_or(DateTime::UNIX_EPOCH);
        Ok(Self { hours: at(mark(db, "counters:hours").await?), days: at(mark(db, "counters:days").await?) })
    }

    /// How many seconds the row that covers a time has.
    pub(super) fn seconds(&self, starts_at: DateTime<Utc>) -> i64 {
        if starts_at < self.days {
            DAY
        } else if starts_at < self.hours {
            HOUR
        } else {
            MINUTE
        }
    }
}

/// A number of the instance's own, zero where there is none yet.
pub(crate) async fn mark<C: ConnectionTrait>(db: &C, key: &str) -> Result<i64, DbErr> {
    let row = sequence::Entity::find_by_id((Uuid::nil(), key.to_owned())).one(db).await?;
    Ok(row.map_or(0, |row| row.value))
}

impl Store {
    /// Both in transactions of one moment: what moves meanwhile makes one of the two be tried again at the next pass.
    pub(super) async fn join_counts(&self, hours: DateTime<Utc>, days: DateTime<Utc>) -> Result<(), DbErr> {
        self.join("counters:hours", MINUTE, HOUR, truncated(hours, HOUR)).await?;
        self.join("counters:days", HOUR, DAY, truncated(days, DAY)).await
    }

    async fn join(&self, key: &str, fine: i64, coarse: i64, before: DateTime<Utc>) -> Result<(), DbErr> {
        let transaction = self.database().begin_serial().await?;
        let db = transaction.session();
        db.execute_raw(joined(db.get_database_backend(), fine, coarse, before.into())).await?;
        let old = run_count::Entity::delete_many()
            .filter(run_count::Column::Seconds.eq(fine))
            .filter(run_count::Column::StartsAt.lt(before));
        old.exec(db).await?;
        let present = sequence::ActiveModel {
            tenant_id: Set(Uuid::nil()),
            key: Set(key.to_owned()),
            value: Set(before.timestamp()),
        };
        let value = Expr::col((sequence::Entity, sequence::Column::Value));
        let later = value.clone().lt(before.timestamp());
        let conflict = OnConflict::columns([sequence::Column::TenantId, sequence::Column::Key])
            .value(sequence::Column::Value, Expr::case(later, before.timestamp()).finally(value))
            .to_owned();
        sequence::Entity::insert(present).on_conflict(conflict).exec_without_returning(db).await?;
        transaction.commit().await
    }
}
