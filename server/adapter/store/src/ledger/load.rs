//! Loads the part of the ledger that a group of batches touches, and on PostgreSQL locks it.
//!
//! Locks are taken table by table in one order, inside a table by ascending key: two lanes never wait for each other
//! in a circle.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kernel::context::Scope;
use kernel::ledger::{
    Batch, ChainEnd, ClaimKey, Counter, CounterKey, HoldState, RowKey, Sequence, State, StepState, Touched,
};
use sea_orm::prelude::DateTimeUtc;
use sea_orm::sea_query::{LockType, OnConflict};
use sea_orm::{ActiveValue::Set, EntityTrait};
use types::id::{HoldId, ProcessId, RunId, StepId, TenantId, Uuid};

use super::find::{by_id, by_tenant};
use super::version::versions;
use crate::dialect::LedgerTransaction;
use crate::error::Trouble;
use crate::row::claim::StandingClaim;
use crate::row::run::MovingRun;
use crate::row::task::MovingTask;
use crate::row::{self, count, document, sequence_key, word};

pub(super) async fn load<'a>(
    db: &mut LedgerTransaction,
    batches: impl Iterator<Item = &'a Batch>,
) -> Result<State, Trouble> {
    let mut touched = Touched::by(batches);
    let mut state = State::default();
    load_epochs(db, &touched, &mut state).await?;
    load_processes(db, &touched, &mut state).await?;
    load_steps(db, &touched, &mut state).await?;
    let tenants = load_holds(db, &touched, &mut state).await?;
    touched.follow(&state, |id| tenants.get(&id).copied());
    load_runs(db, &touched, &mut state).await?;
    load_tasks(db, &touched, &mut state).await?;
    load_counters(db, &touched, &mut state).await?;
    load_claims(db, &touched, &mut state).await?;
    load_sequences(db, &touched, &mut state).await?;
    load_chains(db, &touched, &mut state).await?;
    load_cost_refs(db, &touched, &mut state).await?;
    let keys: Vec<RowKey> = touched.rows.iter().cloned().collect();
    state.rows.extend(versions(db, &keys).await?);
    Ok(state)
}

/// A decision made under an epoch waits for whoever raises it, and the other way round.
async fn load_epochs(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    use entity::tenant::{Column, Entity};
    let lock = if touched.raised.is_empty() { LockType::Share } else { LockType::NoKeyUpdate };
    let ids = touched.tenants.iter().map(|id| id.as_uuid());
    let found: Vec<(Uuid, i64)> =
        by_id::<Entity, _>(db, &[Column::Id, Column::AuthEpoch], Column::Id, ids, lock).await?;
    state.epochs.extend(found.into_iter().map(|(id, epoch)| (TenantId::from_uuid(id), count(epoch))));
    Ok(())
}

async fn load_processes(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    use entity::process::{Column, Entity};
    let ids = touched.processes.iter().map(|id| id.as_uuid());
    let columns = [Column::Id, Column::Epoch, Column::Alive];
    let found: Vec<(Uuid, i64, bool)> = by_id::<Entity, _>(db, &columns, Column::Id, ids, LockType::Share).await?;
    let alive = found.into_iter().filter(|(_, _, alive)| *alive);
    state.processes.extend(alive.map(|(id, epoch, _)| (ProcessId::from_uuid(id), count(epoch))));
    Ok(())
}

async fn load_steps(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    use entity::step::{Column, Entity};
    let ids = touched.steps.iter().map(|id| id.as_uuid());
    let columns = [Column::Id, Column::RunId, Column::StepType, Column::Status, Column::StartedAt, Column::OutboundAt];
    let found: Vec<(Uuid, Uuid, String, String, DateTimeUtc, Option<DateTimeUtc>)> =
        by_id::<Entity, _>(db, &columns, Column::Id, ids, LockType::NoKeyUpdate).await?;
    for (id, run_id, step_type, status, started_at, outbound_at) in found {
        let step = StepState {
            run_id: RunId::from_uuid(run_id),
            step_type: word(&step_type, "steps.step_type")?,
            status: word(&status, "steps.status")?,
            started_at,
            outbound_at,
            end: None,
        };
        state.steps.insert(StepId::from_uuid(id), step);
    }
    Ok(())
}

async fn load_holds(
    db: &mut LedgerTransaction,
    touched: &Touched,
    state: &mut State,
) -> Result<HashMap<HoldId, TenantId>, Trouble> {
    use entity::hold::{Column, Entity};
    let mut tenants = HashMap::new();
    let ids = touched.holds.iter().map(|id| id.as_uuid());
    let columns = [Column::Id, Column::TenantId, Column::RunId, Column::Open, Column::Lines];
    let found: Vec<(Uuid, Uuid, Uuid, bool, String)> =
        by_id::<Entity, _>(db, &columns, Column::Id, ids, LockType::NoKeyUpdate).await?;
    for (id, tenant_id, run_id, open, lines) in found {
        let id = HoldId::from_uuid(id);
        let lines = document(&lines, "holds.lines")?;
        tenants.insert(id, TenantId::from_uuid(tenant_id));
        state.holds.insert(id, HoldState { run_id: RunId::from_uuid(run_id), open, lines });
    }
    Ok(tenants)
}

async fn load_runs(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    use entity::run::{Column, Entity};
    let ids = touched.runs.iter().map(|id| id.as_uuid());
    let found: Vec<MovingRun> =
        by_id::<Entity, _>(db, &MovingRun::COLUMNS, Column::Id, ids, LockType::NoKeyUpdate).await?;
    for run in found {
        let (id, scope, moving) = run.state()?;
        state.runs.insert(id, (scope, moving));
    }
    Ok(())
}

/// Those that move, and those of runs that end; and the time they move at.
async fn load_tasks(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    use entity::task::{Column, Entity};
    let (columns, lock) = (&MovingTask::COLUMNS, LockType::NoKeyUpdate);
    let ended = touched.task_runs(state);
    if !touched.moves_tasks && ended.is_empty() {
        return Ok(());
    }
    let ids = touched.tasks.iter().map(|id| id.as_uuid());
    let mut found: Vec<MovingTask> = by_id::<Entity, _>(db, columns, Column::Id, ids, lock).await?;
    let runs = ended.iter().map(|id| id.as_uuid());
    found.extend(by_id::<Entity, MovingTask>(db, columns, Column::RunId, runs, lock).await?);
    for task in found {
        let (id, scope, moving) = task.state()?;
        state.tasks.insert(id, (scope, moving));
    }
    state.now = Some(db.now().await?);
    Ok(())
}

/// A counter that is not there yet is made first where others write too: what is not there cannot be locked.
async fn load_counters(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    let mut missing: BTreeSet<(TenantId, CounterKey)> = touched.counters.clone();
    find_counters(db, &mut missing, state).await?;
    let LedgerTransaction::Pooled(session) = db else { return Ok(()) };
    if missing.is_empty() {
        return Ok(());
    }
    use entity::counter::{ActiveModel, Column, Entity};
    let rows = missing.iter().map(|(tenant_id, key)| ActiveModel {
        tenant_id: Set(tenant_id.as_uuid()),
        key: Set(key.as_str().to_owned()),
        value: Set(0),
        held: Set(0),
    });
    let absent = OnConflict::columns([Column::TenantId, Column::Key]).do_nothing().to_owned();
    Entity::insert_many(rows).on_conflict(absent).exec_without_returning(session).await?;
    find_counters(db, &mut missing, state).await
}

async fn find_counters(
    db: &mut LedgerTransaction,
    wanted: &mut BTreeSet<(TenantId, CounterKey)>,
    state: &mut State,
) -> Result<(), Trouble> {
    use entity::counter::{Column, Entity};
    let pairs = wanted.iter().map(|(tenant_id, key)| (tenant_id.as_uuid(), key.as_str().to_owned()));
    let columns = [Column::TenantId, Column::Key, Column::Value, Column::Held];
    let key = (Column::TenantId, Column::Key);
    let found: Vec<(Uuid, String, i64, i64)> =
        by_tenant::<Entity, _>(db, &columns, key, pairs, Some(LockType::NoKeyUpdate)).await?;
    for (tenant_id, key, value, held) in found {
        let key = (TenantId::from_uuid(tenant_id), CounterKey::from_text(key));
        wanted.remove(&key);
        state.counters.insert(key, Counter { value, held });
    }
    Ok(())
}

/// A key that nobody claimed yet is made first where others write too, as counters are.
async fn load_claims(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    let mut missing = touched.claims.clone();
    find_claims(db, &mut missing, state).await?;
    let LedgerTransaction::Pooled(session) = db else { return Ok(()) };
    if missing.is_empty() {
        return Ok(());
    }
    use entity::idempotency_key::{Column, Entity};
    let rows = missing.iter().map(|(tenant_id, key)| row::claim::placeholder(*tenant_id, key));
    let absent = OnConflict::columns([Column::TenantId, Column::Key]).do_nothing().to_owned();
    Entity::insert_many(rows).on_conflict(absent).exec_without_returning(session).await?;
    find_claims(db, &mut missing, state).await
}

async fn find_claims(
    db: &mut LedgerTransaction,
    wanted: &mut BTreeSet<(TenantId, ClaimKey)>,
    state: &mut State,
) -> Result<(), Trouble> {
    use entity::idempotency_key::{Column, Entity};
    let pairs = wanted.iter().map(|(tenant_id, key)| (tenant_id.as_uuid(), key.as_str().to_owned()));
    let key = (Column::TenantId, Column::Key);
    let found: Vec<StandingClaim> =
        by_tenant::<Entity, _>(db, &StandingClaim::COLUMNS, key, pairs, Some(LockType::NoKeyUpdate)).await?;
    for row in found {
        let (full, claim) = row.claim()?;
        wanted.remove(&full);
        state.claims.extend(claim.map(|claim| (full, claim)));
    }
    Ok(())
}

async fn load_sequences(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    let mut missing: BTreeMap<(Uuid, String), Sequence> =
        touched.sequences.iter().map(|sequence| (sequence_key(sequence), sequence.clone())).collect();
    find_sequences(db, &mut missing, state).await?;
    let LedgerTransaction::Pooled(session) = db else { return Ok(()) };
    if missing.is_empty() {
        return Ok(());
    }
    use entity::sequence::{ActiveModel, Column, Entity};
    let rows = missing.keys().map(|(tenant_id, key)| ActiveModel {
        tenant_id: Set(*tenant_id),
        key: Set(key.clone()),
        value: Set(0),
    });
    let absent = OnConflict::columns([Column::TenantId, Column::Key]).do_nothing().to_owned();
    Entity::insert_many(rows).on_conflict(absent).exec_without_returning(session).await?;
    find_sequences(db, &mut missing, state).await
}

async fn find_sequences(
    db: &mut LedgerTransaction,
    wanted: &mut BTreeMap<(Uuid, String), Sequence>,
    state: &mut State,
) -> Result<(), Trouble> {
    use entity::sequence::{Column, Entity};
    let columns = [Column::TenantId, Column::Key, Column::Value];
    let key = (Column::TenantId, Column::Key);
    let keys: Vec<(Uuid, String)> = wanted.keys().cloned().collect();
    let found: Vec<(Uuid, String, i64)> =
        by_tenant::<Entity, _>(db, &columns, key, keys, Some(LockType::NoKeyUpdate)).await?;
    for (tenant_id, key, value) in found {
        if let Some(sequence) = wanted.remove(&(tenant_id, key)) {
            state.sequences.insert(sequence, count(value));
        }
    }
    Ok(())
}

/// A chain that is not there yet is made first where others write too, as counters are.
async fn load_chains(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    let mut missing = touched.chains.clone();
    find_chains(db, &mut missing, state).await?;
    let LedgerTransaction::Pooled(session) = db else { return Ok(()) };
    if missing.is_empty() {
        return Ok(());
    }
    use entity::chain::{Column, Entity};
    let rows = missing.iter().map(|scope| row::chain::active(*scope, &ChainEnd::default()));
    let absent = OnConflict::column(Column::WorkspaceId).do_nothing().to_owned();
    Entity::insert_many(rows).on_conflict(absent).exec_without_returning(session).await?;
    find_chains(db, &mut missing, state).await
}

async fn find_chains(
    db: &mut LedgerTransaction,
    wanted: &mut BTreeSet<Scope>,
    state: &mut State,
) -> Result<(), Trouble> {
    use entity::chain::{Column, Entity};
    let ids: BTreeSet<Uuid> = wanted.iter().map(|scope| scope.workspace_id.as_uuid()).collect();
    let columns = [Column::TenantId, Column::WorkspaceId, Column::Seq, Column::Hash];
    let found: Vec<(Uuid, Uuid, i64, Vec<u8>)> =
        by_id::<Entity, _>(db, &columns, Column::WorkspaceId, ids, LockType::NoKeyUpdate).await?;
    for (tenant_id, workspace_id, seq, hash) in found {
        let scope = row::scope(tenant_id, workspace_id);
        if wanted.remove(&scope) {
            state.chains.insert(scope, ChainEnd { seq: count(seq), hash: row::hash(&hash, "chains.hash")? });
        }
    }
    Ok(())
}

async fn load_cost_refs(db: &mut LedgerTransaction, touched: &Touched, state: &mut State) -> Result<(), Trouble> {
    use entity::cost::{Column, Entity};
    let pairs = touched.cost_refs.iter().map(|(tenant_id, source_ref)| (tenant_id.as_uuid(), source_ref.clone()));
    let key = (Column::TenantId, Column::SourceRef);
    let found: Vec<(Uuid, String)> = by_tenant::<Entity, _>(db, &[key.0, key.1], key, pairs, None).await?;
    state.cost_refs.extend(found.into_iter().map(|(tenant_id, text)| (TenantId::from_uuid(tenant_id), text)));
    Ok(())
}
