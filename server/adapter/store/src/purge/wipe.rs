//! Makes what was erased absent from SQLite's files.
//!
//! A row that is overwritten or moved leaves its bytes on the page it left, and in the write-ahead log. So the file is written
//! anew and the log emptied once a purge is done. PostgreSQL reuses the space by itself.

use entity::sequence;
use kernel::ledger::Durability;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use types::id::Uuid;

use crate::read::{clock, mark};
use crate::store::Store;

/// How often something was erased since the file was last written anew, in `sequences`.
const ERASED: &str = "purge:erased";
/// When that was, in seconds.
const WIPED: &str = "purge:wiped";
/// Larger files are written anew once a day only, unless somebody asked for it: writers wait meanwhile.
const LARGE: u64 = 256 * 1024 * 1024;
/// So often, in seconds.
const A_DAY: i64 = 24 * 60 * 60;

/// Notes in the transaction of an erasure that the file is to be written anew.
pub(super) async fn note_erased<C: ConnectionTrait>(db: &C) -> Result<(), DbErr> {
    let row = sequence::ActiveModel { tenant_id: Set(Uuid::nil()), key: Set(ERASED.to_owned()), value: Set(1) };
    let more = Expr::col((sequence::Entity, sequence::Column::Value)).add(1);
    let conflict = OnConflict::columns([sequence::Column::TenantId, sequence::Column::Key])
        .value(sequence::Column::Value, more)
        .to_owned();
    sequence::Entity::insert(row).on_conflict(conflict).exec_without_returning(db).await?;
    Ok(())
}

impl Store {
    pub(super) async fn wipe_files(&self, must_be_now: bool) -> Result<(), DbErr> {
        let reader = self.database().reader();
        let erased = mark(&reader, ERASED).await?;
        if erased == 0 {
            return Ok(());
        }
        let now = clock(&reader).await?.timestamp();
        let is_large = self.database().file_size().is_some_and(|size| size > LARGE);
        if is_large && !must_be_now && now.saturating_sub(mark(&reader, WIPED).await?) < A_DAY {
            return Ok(());
        }
        self.database().rewrite().await?;
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        // What was erased meanwhile waits for the next time.
        sequence::Entity::update_many()
            .col_expr(sequence::Column::Value, Expr::col(sequence::Column::Value).sub(erased))
            .filter(sequence::Column::TenantId.eq(Uuid::nil()))
            .filter(sequence::Column::Key.eq(ERASED))
            .exec(db)
            .await?;
        let row = sequence::ActiveModel { tenant_id: Set(Uuid::nil()), key: Set(WIPED.to_owned()), value: Set(now) };
        let conflict = OnConflict::columns([sequence::Column::TenantId, sequence::Column::Key])
            .update_column(sequence::Column::Value)
            .to_owned();
        sequence::Entity::insert(row).on_conflict(conflict).exec_without_returning(db).await?;
        transaction.commit().await
    }
}
