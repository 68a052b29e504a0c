//! The entry of a chain that covers what goes.

use entity::{chain, chain_entry, purged_entry};
use kernel::chain::{Entry, Purge};
use kernel::context::Scope;
use kernel::ledger::ChainEnd;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{LockType, OnConflict};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use types::id::{AuditId, EventId, RetentionReportId, RunId, Uuid};
use types::retention::{PurgeCounts, RetentionClass};

use crate::row::{self, count, hash, number};

/// What is to be covered.
pub(super) struct Covering<'a> {
    pub(super) scope: Scope,
    pub(super) class: RetentionClass,
    pub(super) ids: &'a [Uuid],
    pub(super) purge_id: RetentionReportId,
}

/// The end of the workspace's chain, kept from everybody else until the transaction ends.
pub(super) async fn lock<C: ConnectionTrait>(db: &C, scope: Scope) -> Result<ChainEnd, DbErr> {
    let empty = row::chain::active(scope, &ChainEnd::default());
    let absent = OnConflict::column(chain::Column::WorkspaceId).do_nothing().to_owned();
    match chain::Entity::insert(empty).on_conflict(absent).exec_without_returning(db).await {
        Ok(_) | Err(DbErr::RecordNotInserted) => {}
        Err(error) => return Err(error),
    }
    let found = chain::Entity::find_by_id(scope.workspace_id.as_uuid())
        .filter(chain::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .lock(LockType::NoKeyUpdate)
        .one(db)
        .await?;
    let found = found.ok_or_else(|| DbErr::Custom("the chain of another tenant stands in the way".to_owned()))?;
    Ok(ChainEnd { seq: count(found.seq), hash: hash(&found.hash, "chains.hash")? })
}

/// Appends the entry, and says where to look for it.
pub(super) async fn append<C: ConnectionTrait>(
    db: &C,
    end: ChainEnd,
    covering: &Covering<'_>,
    purged: &PurgeCounts,
) -> Result<(), DbErr> {
    let Covering { scope, class, ids, purge_id } = covering;
    let named: Vec<String> = ids.iter().map(|id| named(*class, *id)).collect();
    let entries: Vec<i64> = chain_entry::Entity::find()
        .select_only()
        .column(chain_entry::Column::Seq)
        .filter(chain_entry::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(chain_entry::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(chain_entry::Column::SubjectId.is_in(named.iter().map(String::as_str)))
        .into_tuple()
        .all(db)
        .await?;
    let purge = Purge::new(purge_id, *class, named, entries.into_iter().map(count).collect(), purged.clone());
    let entry = Entry::of_purge(end.seq + 1, end.hash, &purge);
    let end = ChainEnd { seq: entry.seq, hash: entry.hash };
    chain_entry::Entity::insert(row::chain_entry::active(*scope, entry)).exec_without_returning(db).await?;
    chain::Entity::update_many()
        .set(chain::ActiveModel { seq: Set(number(end.seq)), hash: Set(end.hash.0.to_vec()), ..Default::default() })
        .filter(chain::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .exec(db)
        .await?;
    if !purge.entries().is_empty() {
        let rows = purge.entries().iter().map(|(first, last)| purged_entry::ActiveModel {
            workspace_id: Set(scope.workspace_id.as_uuid()),
            purge_seq: Set(number(end.seq)),
            first_seq: Set(number(*first)),
            tenant_id: Set(scope.tenant_id.as_uuid()),
            last_seq: Set(number(*last)),
        });
        purged_entry::Entity::insert_many(rows).exec_without_returning(db).await?;
    }
    Ok(())
}

/// An id as records and entries name it.
fn named(class: RetentionClass, id: Uuid) -> String {
    match class {
        RetentionClass::Content | RetentionClass::Runs | RetentionClass::Costs => RunId::from_uuid(id).to_string(),
        RetentionClass::Audit => AuditId::from_uuid(id).to_string(),
        RetentionClass::Events => EventId::from_uuid(id).to_string(),
    }
}
