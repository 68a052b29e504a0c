//! Hash chains and their checkpoints.

use std::collections::{BTreeSet, HashMap, HashSet};

use async_trait::async_trait;
use entity::{artifact, audit, chain, chain_checkpoint, chain_entry, cost, purged_entry, run, step};
use kernel::chain::{Checkpoint, Entry, Kind, Records};
use kernel::context::Scope;
use kernel::ledger::Durability;
use kernel::port::{ChainHead, Chains, StoreError, Unsealed};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect,
};
use types::audit::AuditEntry;
use types::id::{AuditId, RunId, Uuid};

use crate::error::reading;
use crate::row::closed_run::RunArtifact;
use crate::row::{self, count, hash, number};
use crate::store::Store;

/// Ids of one statement.
const IDS: usize = 1_000;

#[async_trait]
impl Chains for Store {
    async fn head(&self, scope: Scope) -> Result<ChainHead, StoreError> {
        self.chain_head(scope).await.map_err(reading)
    }

    async fn list_entries(&self, scope: Scope, from: u64, limit: u32) -> Result<Vec<Entry>, StoreError> {
        self.chain_entries(scope, from, limit).await.map_err(reading)
    }

    async fn find_entries(&self, scope: Scope, subject_ids: &[String]) -> Result<Vec<Entry>, StoreError> {
        self.entries_of(scope, subject_ids).await.map_err(reading)
    }

    async fn records(&self, scope: Scope, entries: &[Entry]) -> Result<Records, StoreError> {
        self.chain_records(scope, entries).await.map_err(reading)
    }

    async fn list_audit_of(&self, scope: Scope, run_id: RunId) -> Result<Vec<AuditEntry>, StoreError> {
        self.audit_of(scope, run_id).await.map_err(reading)
    }

    async fn list_checkpoints(
        &self,
        scope: Scope,
        ending_from: u64,
        limit: u32,
    ) -> Result<Vec<Checkpoint>, StoreError> {
        self.checkpoints(scope, ending_from, limit).await.map_err(reading)
    }

    async fn last_checkpoint(&self, scope: Scope) -> Result<Option<Checkpoint>, StoreError> {
        self.newest_checkpoint(scope).await.map_err(reading)
    }

    async fn put_checkpoint(&self, scope: Scope, checkpoint: &Checkpoint) -> Result<bool, StoreError> {
        self.insert_checkpoint(scope, checkpoint).await.map_err(reading)
    }

    async fn list_chains(&self, after: Option<Scope>, limit: u32) -> Result<Vec<Scope>, StoreError> {
        self.chains(after, limit).await.map_err(reading)
    }

    async fn list_unsealed(&self, limit: u32) -> Result<Vec<Unsealed>, StoreError> {
        self.unsealed(limit).await.map_err(reading)
    }
}

impl Store {
    async fn chain_head(&self, scope: Scope) -> Result<ChainHead, DbErr> {
        let row = chain::Entity::find_by_id(scope.workspace_id.as_uuid())
            .filter(chain::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        let Some(row) = row else { return Ok(ChainHead::default()) };
        Ok(ChainHead { seq: count(row.seq), hash: hash(&row.hash, "chains.hash")?, sealed: count(row.sealed_seq) })
    }

    async fn chain_entries(&self, scope: Scope, from: u64, limit: u32) -> Result<Vec<Entry>, DbErr> {
        let rows = chain_entry::Entity::find()
            .filter(entries_in(scope))
            .filter(chain_entry::Column::Seq.gte(number(from)))
            .order_by_asc(chain_entry::Column::Seq)
            .limit(u64::from(limit))
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::chain_entry::record).collect::<Result<_, _>>()?)
    }

    async fn entries_of(&self, scope: Scope, subject_ids: &[String]) -> Result<Vec<Entry>, DbErr> {
        let mut last: HashMap<String, Entry> = HashMap::new();
        for ids in subject_ids.chunks(IDS) {
            let rows = chain_entry::Entity::find()
                .filter(entries_in(scope))
                .filter(chain_entry::Column::SubjectId.is_in(ids))
                .order_by_asc(chain_entry::Column::Seq)
                .all(&self.database().reader())
                .await?;
            for row in rows {
                last.insert(row.subject_id.clone(), row::chain_entry::record(row)?);
            }
        }
        let mut entries: Vec<Entry> = last.into_values().collect();
        entries.sort_by_key(|entry| entry.seq);
        Ok(entries)
    }

    /// All at one moment: a run that changes meanwhile would look as if it were altered.
    async fn chain_records(&self, scope: Scope, entries: &[Entry]) -> Result<Records, DbErr> {
        let db = &self.database().snapshot().await?;
        let ids = |kind: Kind| entries.iter().filter(move |entry| entry.kind == kind).map(|entry| &entry.subject_id);
        let mut records = Records::default();
        let audit_ids: Vec<Uuid> =
            ids(Kind::Audit).filter_map(|id| Some(id.parse::<AuditId>().ok()?.as_uuid())).collect();
        for ids in audit_ids.chunks(IDS) {
            let rows = audit::Entity::find()
                .filter(audit_in(scope))
                .filter(audit::Column::Id.is_in(ids.iter().copied()))
                .all(db)
                .await?;
            for row in rows {
                let entry = row::audit::record(row)?;
                records.audit.insert(entry.id.to_string(), entry);
            }
        }
        let run_ids: Vec<Uuid> = ids(Kind::Run).filter_map(|id| Some(id.parse::<RunId>().ok()?.as_uuid())).collect();
        for ids in run_ids.chunks(IDS) {
            let ids = || ids.iter().copied();
            let in_scope = Condition::all()
                .add(run::Column::TenantId.eq(scope.tenant_id.as_uuid()))
                .add(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()));
            let runs = run::Entity::find().filter(in_scope).filter(run::Column::Id.is_in(ids())).all(db).await?;
            let steps = step::Entity::find().filter(step::Column::RunId.is_in(ids())).all(db).await?;
            let costs = cost::Entity::find().filter(cost::Column::RunId.is_in(ids())).all(db).await?;
            let naming = row::closed_run::naming_artifacts(&runs, &steps);
            let artifacts: Vec<RunArtifact> = artifact::Entity::find()
                .select_only()
                .columns([artifact::Column::RunId, artifact::Column::Id, artifact::Column::Sha256])
                .filter(artifact::Column::RunId.is_in(naming))
                .into_tuple()
                .all(db)
                .await?;
            let present: HashSet<Uuid> = runs.iter().map(|run| run.id).collect();
            let (costs, left): (Vec<_>, Vec<_>) = costs.into_iter().partition(|cost| present.contains(&cost.run_id));
            for row in left {
                let id = RunId::from_uuid(row.run_id).to_string();
                records.costs.entry(id).or_default().push(row::cost::record(row)?);
            }
            for closed in row::closed_run::records(runs, steps, costs, artifacts)? {
                records.runs.insert(closed.run.id.to_string(), closed);
            }
        }
        let subjects: Vec<&String> = ids(Kind::Run).collect();
        for subjects in subjects.chunks(IDS) {
            let asking = Query::select()
                .column(chain_entry::Column::SubjectId)
                .expr(Expr::col(chain_entry::Column::Seq).max())
                .from(chain_entry::Entity)
                .cond_where(entries_in(scope))
                .and_where(chain_entry::Column::SubjectId.is_in(subjects.iter().map(|id| id.as_str())))
                .group_by_col(chain_entry::Column::SubjectId)
                .to_owned();
            for row in db.query_all(&asking).await? {
                records.latest.insert(row.try_get_by_index(0)?, count(row.try_get_by_index(1)?));
            }
        }
        let seqs = entries.iter().map(|entry| entry.seq);
        if let Some((first, last)) = seqs.clone().min().zip(seqs.max()) {
            records.purges = purges(db, scope, first, last).await?;
        }
        Ok(records)
    }

    async fn audit_of(&self, scope: Scope, run_id: RunId) -> Result<Vec<AuditEntry>, DbErr> {
        let rows = audit::Entity::find()
            .filter(audit_in(scope))
            .filter(audit::Column::RunId.eq(run_id.as_uuid()))
            .order_by_asc(audit::Column::Seq)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::audit::record).collect::<Result<_, _>>()?)
    }

    async fn checkpoints(&self, scope: Scope, ending_from: u64, limit: u32) -> Result<Vec<Checkpoint>, DbErr> {
        let rows = chain_checkpoint::Entity::find()
            .filter(checkpoints_in(scope))
            .filter(chain_checkpoint::Column::LastSeq.gte(number(ending_from)))
            .order_by_asc(chain_checkpoint::Column::LastSeq)
            .limit(u64::from(limit))
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::chain_checkpoint::record).collect::<Result<_, _>>()?)
    }

    async fn chains(&self, after: Option<Scope>, limit: u32) -> Result<Vec<Scope>, DbErr> {
        let after = after.map(|scope| chain::Column::WorkspaceId.gt(scope.workspace_id.as_uuid()));
        let rows: Vec<(Uuid, Uuid)> = chain::Entity::find()
            .select_only()
            .columns([chain::Column::TenantId, chain::Column::WorkspaceId])
            .filter(Condition::all().add_option(after))
            .order_by_asc(chain::Column::WorkspaceId)
            .limit(u64::from(limit))
            .into_tuple()
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(|(tenant_id, workspace_id)| row::scope(tenant_id, workspace_id)).collect())
    }

    async fn newest_checkpoint(&self, scope: Scope) -> Result<Option<Checkpoint>, DbErr> {
        let row = chain_checkpoint::Entity::find()
            .filter(checkpoints_in(scope))
            .order_by_desc(chain_checkpoint::Column::Number)
            .one(&self.database().reader())
            .await?;
        Ok(row.map(row::chain_checkpoint::record).transpose()?)
    }

    /// The one of its number is kept whose transaction comes first; whoever is second finds it kept.
    async fn insert_checkpoint(&self, scope: Scope, checkpoint: &Checkpoint) -> Result<bool, DbErr> {
        use chain_checkpoint::Column;
        let transaction = self.database().begin(Durability::Power).await?;
        let db = transaction.session();
        let absent = OnConflict::columns([Column::WorkspaceId, Column::Number]).do_nothing().to_owned();
        let row = row::chain_checkpoint::active(scope, checkpoint);
        let insert = chain_checkpoint::Entity::insert(row).on_conflict(absent).exec_without_returning(db).await;
        let is_new = match insert {
            Ok(rows) => rows > 0,
            Err(DbErr::RecordNotInserted) => false,
            Err(error) => return Err(error),
        };
        let last = number(checkpoint.last_seq);
        if is_new {
            chain::Entity::update_many()
                .col_expr(chain::Column::SealedSeq, Expr::val(last))
                .filter(chain::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
                .filter(chain::Column::TenantId.eq(scope.tenant_id.as_uuid()))
                .exec(db)
                .await?;
        }
        transaction.commit().await?;
        Ok(is_new)
    }

    async fn unsealed(&self, limit: u32) -> Result<Vec<Unsealed>, DbErr> {
        use chain_entry::Column as Of;
        let at = |column: chain::Column| Expr::col((chain::Entity, column));
        let entry = |column: Of| Expr::col((chain_entry::Entity, column));
        let first = Condition::all()
            .add(entry(Of::WorkspaceId).eq(at(chain::Column::WorkspaceId)))
            .add(entry(Of::Seq).eq(at(chain::Column::SealedSeq).add(1)));
        let asking = Query::select()
            .expr(at(chain::Column::TenantId))
            .expr(at(chain::Column::WorkspaceId))
            .expr(at(chain::Column::Seq).sub(at(chain::Column::SealedSeq)))
            .expr(entry(Of::CreatedAt))
            .from(chain::Entity)
            .inner_join(chain_entry::Entity, first)
            .and_where(at(chain::Column::Seq).gt(at(chain::Column::SealedSeq)))
            .order_by((chain_entry::Entity, Of::CreatedAt), Order::Asc)
            .limit(u64::from(limit))
            .to_owned();
        let rows = self.database().reader().query_all(&asking).await?;
        let unsealed = rows.iter().map(|row| {
            Ok(Unsealed {
                scope: row::scope(row.try_get_by_index(0)?, row.try_get_by_index(1)?),
                entries: count(row.try_get_by_index(2)?),
                since: row.try_get_by_index(3)?,
            })
        });
        unsealed.collect()
    }
}

/// The entries of purges that cover some between two numbers.
async fn purges<C: ConnectionTrait>(db: &C, scope: Scope, first: u64, last: u64) -> Result<Vec<Entry>, DbErr> {
    let rows: Vec<i64> = purged_entry::Entity::find()
        .select_only()
        .column(purged_entry::Column::PurgeSeq)
        .filter(purged_entry::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(purged_entry::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(purged_entry::Column::LastSeq.gte(number(first)))
        .filter(purged_entry::Column::FirstSeq.lte(number(last)))
        .into_tuple()
        .all(db)
        .await?;
    let seqs: BTreeSet<i64> = rows.into_iter().collect();
    let mut purges = Vec::new();
    for seqs in seqs.into_iter().collect::<Vec<_>>().chunks(IDS) {
        let rows = chain_entry::Entity::find()
            .filter(entries_in(scope))
            .filter(chain_entry::Column::Seq.is_in(seqs.iter().copied()))
            .all(db)
            .await?;
        for row in rows {
            purges.push(row::chain_entry::record(row)?);
        }
    }
    Ok(purges)
}

fn entries_in(scope: Scope) -> Condition {
    Condition::all()
        .add(chain_entry::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .add(chain_entry::Column::TenantId.eq(scope.tenant_id.as_uuid()))
}

fn checkpoints_in(scope: Scope) -> Condition {
    Condition::all()
        .add(chain_checkpoint::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .add(chain_checkpoint::Column::TenantId.eq(scope.tenant_id.as_uuid()))
}

fn audit_in(scope: Scope) -> Condition {
    Condition::all()
        .add(audit::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .add(audit::Column::TenantId.eq(scope.tenant_id.as_uuid()))
}
