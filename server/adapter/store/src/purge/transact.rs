//! One transaction of a purge.

use chrono::{DateTime, Utc};
use entity::{purge, sequence};
use kernel::context::Scope;
use kernel::ledger::Durability;
use kernel::port::{DueQuery, Purging};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter};
use types::id::Uuid;
use types::retention::{PurgeCounts, RetentionClass};

use super::cover::Covering;
use super::delete::delete;
use super::wipe::note_erased;
use super::{cover, due, report};
use crate::error::Trouble;
use crate::store::Store;

/// Before which time rows that counters counted are gone, in `sequences`: `purged:{workspace}`, in seconds.
pub(crate) const PURGED: &str = "purged:";
/// How often it is tried where others lock the same rows.
const ATTEMPTS: usize = 5;

impl Store {
    pub(super) async fn purge_due(&self, purging: &Purging) -> Result<PurgeCounts, DbErr> {
        let mut attempt = 1;
        loop {
            match self.try_purge(purging).await {
                Err(error) if attempt < ATTEMPTS && matches!(Trouble::of(&error), Trouble::Busy(_)) => attempt += 1,
                other => return other,
            }
        }
    }

    async fn try_purge(&self, purging: &Purging) -> Result<PurgeCounts, DbErr> {
        let DueQuery { scope, class, before, .. } = purging.query;
        let transaction = self.database().begin(Durability::Power).await?;
        let db = transaction.session();
        // First of all: a hold is audited at this place, so it is either seen below or placed later.
        let end = cover::lock(db, scope).await?;
        let ids = due::still(db, &purging.query, &purging.ids, &purging.decided).await?;
        if ids.is_empty() {
            transaction.rollback().await?;
            return Ok(PurgeCounts::new());
        }
        let covering = Covering { scope, class, ids: &ids, purge_id: purging.purge_id };
        let is_listed = class != RetentionClass::Events;
        if is_listed {
            list(db, scope, &ids).await?;
        }
        let purged = delete(db, scope, class, &ids).await?;
        if is_listed {
            purge::Entity::delete_many().filter(purge::Column::SubjectId.is_in(ids.iter().copied())).exec(db).await?;
        }
        // Events are in no chain: their report tells of them.
        if is_listed {
            cover::append(db, end, &covering, &purged).await?;
        }
        report::add(db, scope, purging.purge_id, &purged).await?;
        if matches!(class, RetentionClass::Runs | RetentionClass::Costs) {
            note_purged(db, scope, before).await?;
        }
        if db.get_database_backend() == DbBackend::Sqlite {
            note_erased(db).await?;
        }
        transaction.commit().await?;
        Ok(purged)
    }
}

/// Puts what goes on the list that the guards look at.
async fn list<C: ConnectionTrait>(db: &C, scope: Scope, ids: &[Uuid]) -> Result<(), DbErr> {
    let rows = ids.iter().map(|id| purge::ActiveModel {
        subject_id: Set(*id),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        created_at: NotSet,
    });
    purge::Entity::insert_many(rows).exec_without_returning(db).await?;
    Ok(())
}

/// Remembers how far back counters cannot be recounted any more.
async fn note_purged<C: ConnectionTrait>(db: &C, scope: Scope, before: DateTime<Utc>) -> Result<(), DbErr> {
    let row = sequence::ActiveModel {
        tenant_id: Set(scope.tenant_id.as_uuid()),
        key: Set(format!("{PURGED}{}", scope.workspace_id)),
        value: Set(before.timestamp()),
    };
    let value = Expr::col((sequence::Entity, sequence::Column::Value));
    let later = value.clone().lt(before.timestamp());
    let conflict = OnConflict::columns([sequence::Column::TenantId, sequence::Column::Key])
        .value(sequence::Column::Value, Expr::case(later, before.timestamp()).finally(value))
        .to_owned();
    sequence::Entity::insert(row).on_conflict(conflict).exec_without_returning(db).await?;
    Ok(())
}
