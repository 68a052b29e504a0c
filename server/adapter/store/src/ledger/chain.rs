//! The entries that a group adds to hash chains, made once everything they are of is written: what is sealed is what is
//! read back, so a later reading can be held against it.

use std::collections::{BTreeSet, HashMap};

use entity::{artifact, cost, run, step};
use kernel::chain::{ClosedRun, Entry};
use kernel::context::Scope;
use kernel::ledger::{ChainEnd, Sealed, State};
use sea_orm::sea_query::LockType;
use sea_orm::{EntityTrait, Iterable};
use types::id::{RunId, Uuid};

use super::find::by_id;
use super::statement::{insert, put};
use crate::dialect::{FromRecord, LedgerTransaction};
use crate::error::Trouble;
use crate::row::closed_run::RunArtifact;
use crate::row::{self, Corrupt};

/// Appends entries, each with the number the kernel gave it; the runs among what they are of, as they are now.
pub(super) async fn append(
    db: &mut LedgerTransaction,
    state: &State,
    sealed: Vec<(Scope, Sealed, u64)>,
) -> Result<Vec<ClosedRun>, Trouble> {
    if sealed.is_empty() {
        return Ok(Vec::new());
    }
    let closed = closed_runs(db, &sealed).await?;
    let mut ends: HashMap<Scope, ChainEnd> = HashMap::new();
    let mut entries = Vec::with_capacity(sealed.len());
    for (scope, subject, seq) in sealed {
        let end = ends.entry(scope).or_insert_with(|| state.chains.get(&scope).copied().unwrap_or_default());
        let entry = match subject {
            Sealed::Audit(audit, number) => Entry::of_audit(seq, end.hash, scope, &audit.entry(number)),
            Sealed::KeyRotation(rotation) => Entry::of_rotation(seq, end.hash, &rotation),
            Sealed::Run(id) => {
                let missing = || Corrupt::new("runs.id", format!("{id} is over and not there"));
                Entry::of_run(seq, end.hash, closed.get(&id).ok_or_else(missing)?)
            }
        };
        *end = ChainEnd { seq, hash: entry.hash };
        entries.push(row::chain_entry::active(scope, entry));
    }
    insert(db, entries).await?;
    put(db, ends.iter().map(|(scope, end)| row::chain::active(*scope, end)).collect(), &[]).await?;
    Ok(closed.into_values().collect())
}

/// The runs among the subjects, with what belongs to them.
async fn closed_runs(
    db: &mut LedgerTransaction,
    sealed: &[(Scope, Sealed, u64)],
) -> Result<HashMap<RunId, ClosedRun>, Trouble> {
    let ids = sealed.iter().filter_map(|(_, subject, _)| match subject {
        Sealed::Run(id) => Some(id.as_uuid()),
        Sealed::Audit(..) | Sealed::KeyRotation(_) => None,
    });
    let ids: BTreeSet<Uuid> = ids.collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let runs = whole::<run::Entity>(db, run::Column::Id, &ids).await?;
    let steps = whole::<step::Entity>(db, step::Column::RunId, &ids).await?;
    let costs = whole::<cost::Entity>(db, cost::Column::RunId, &ids).await?;
    // Most runs keep no artifact: then nothing is asked.
    let naming = row::closed_run::naming_artifacts(&runs, &steps);
    let columns = [artifact::Column::RunId, artifact::Column::Id, artifact::Column::Sha256];
    let artifacts: Vec<RunArtifact> =
        by_id::<artifact::Entity, _>(db, &columns, artifact::Column::RunId, naming, None::<LockType>).await?;
    let closed = row::closed_run::records(runs, steps, costs, artifacts)?;
    Ok(closed.into_iter().map(|closed| (closed.run.id, closed)).collect())
}

async fn whole<E>(db: &mut LedgerTransaction, key: E::Column, ids: &BTreeSet<Uuid>) -> Result<Vec<E::Model>, Trouble>
where
    E: EntityTrait<Model: FromRecord>,
{
    let columns: Vec<E::Column> = E::Column::iter().collect();
    // Nobody else changes what is over: there is nothing to lock.
    by_id::<E, _>(db, &columns, key, ids.iter().copied(), None::<LockType>).await
}
