//! Writes what a group of batches changed: a few statements a table, however many batches.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::ledger::{Change, Changes, Measure, Resolution, Sealed, State, Tally, Touch};
use sea_orm::ActiveValue::Set;
use sea_orm::Value;
use types::id::{ApiKeyId, HoldId, RunId, SessionId, StepId, TaskId};

use super::chain;
use super::delivery::resolve;
use super::rows::Rows;
use super::statement::{add, insert, put, update};
use crate::dialect::LedgerTransaction;
use crate::error::Trouble;
use crate::row::{self, Corrupt, number};

/// What is inserted: moving parts are those after the last batch of the group.
#[derive(Default)]
struct New {
    rows: Rows,
    runs: Vec<entity::run::ActiveModel>,
    /// Of runs that go on.
    texts: Vec<entity::run_text::ActiveModel>,
    steps: Vec<entity::step::ActiveModel>,
    holds: Vec<entity::hold::ActiveModel>,
    tasks: Vec<entity::task::ActiveModel>,
    costs: Vec<entity::cost::ActiveModel>,
    run_events: Vec<entity::run_event::ActiveModel>,
    artifacts: Vec<entity::artifact::ActiveModel>,
    audit: Vec<entity::audit::ActiveModel>,
    sealed: Vec<(Scope, Sealed, u64)>,
    events: Vec<entity::event::ActiveModel>,
    deliveries: Vec<entity::delivery::ActiveModel>,
    used_keys: BTreeMap<ApiKeyId, (DateTime<Utc>, Option<String>)>,
    seen_sessions: BTreeMap<SessionId, (DateTime<Utc>, DateTime<Utc>)>,
    resolutions: Vec<(Scope, Arc<Resolution>)>,
    run_ids: HashSet<RunId>,
    step_ids: HashSet<StepId>,
    hold_ids: HashSet<HoldId>,
    task_ids: HashSet<TaskId>,
}

/// The time hash chains took of it.
pub(super) async fn write(
    db: &mut LedgerTransaction,
    state: &State,
    mut changes: Changes,
) -> Result<Duration, Trouble> {
    let mut new = New::default();
    for change in std::mem::take(&mut changes.list) {
        new.add(state, change)?;
    }
    changes.runs.retain(|id| !new.run_ids.contains(id));
    changes.steps.retain(|id| !new.step_ids.contains(id));
    changes.holds.retain(|id| !new.hold_ids.contains(id));
    changes.tasks.retain(|id, _| !new.task_ids.contains(id));

    new.rows.write(db).await?;
    raise_epochs(db, &changes).await?;
    insert(db, new.runs).await?;
    insert(db, new.texts).await?;
    move_runs(db, state, &changes).await?;
    insert(db, new.steps).await?;
    move_steps(db, state, &changes).await?;
    insert(db, new.holds).await?;
    close_holds(db, &changes).await?;
    insert(db, new.tasks).await?;
    move_tasks(db, state, &changes).await?;
    move_counters(db, state, &changes).await?;
    move_claims(db, state, &changes).await?;
    move_sequences(db, state, &changes).await?;
    insert(db, new.costs).await?;
    insert(db, new.run_events).await?;
    insert(db, new.artifacts).await?;
    insert(db, new.audit).await?;
    let started = Instant::now();
    let closed = chain::append(db, state, new.sealed).await?;
    let chaining = started.elapsed();
    put(db, closed.iter().map(|closed| row::run_text::kept(closed.scope, &closed.run)).collect(), &[]).await?;
    insert(db, new.events).await?;
    insert(db, new.deliveries).await?;
    note_keys(db, new.used_keys).await?;
    note_sessions(db, new.seen_sessions).await?;
    move_tally(db, changes.tally).await?;
    resolve(db, new.resolutions).await?;
    Ok(chaining)
}

impl New {
    fn add(&mut self, state: &State, change: Change) -> Result<(), Corrupt> {
        match change {
            Change::NewRun(scope, run) => {
                if let Some((_, moving)) = state.runs.get(&run.id) {
                    self.runs.push(row::run::active(scope, &run, moving)?);
                    if moving.end.is_none() {
                        self.texts.push(row::run_text::opening(scope, &run));
                    }
                }
                self.run_ids.insert(run.id);
            }
            Change::NewStep(scope, step, seq) => {
                if let Some(moving) = state.steps.get(&step.id) {
                    self.steps.push(row::step::active(scope, &step, seq, moving)?);
                }
                self.step_ids.insert(step.id);
            }
            Change::NewHold(scope, hold) => {
                if let Some(moving) = state.holds.get(&hold.id) {
                    self.holds.push(row::hold::active(scope, &hold, moving)?);
                }
                self.hold_ids.insert(hold.id);
            }
            Change::NewTask(scope, task) => {
                if let Some((_, moving)) = state.tasks.get(&task.id) {
                    self.tasks.push(row::task::active(scope, &task, moving)?);
                }
                self.task_ids.insert(task.id);
            }
            Change::Cost(scope, cost) => self.costs.push(row::cost::active(scope, &cost)?),
            Change::Audit(scope, audit, seq) => self.audit.push(row::audit::active(scope, &audit, seq)?),
            Change::Artifact(scope, artifact) => {
                self.artifacts.push(row::artifact::active(scope, Arc::unwrap_or_clone(artifact)));
            }
            Change::Seal(scope, subject, seq) => self.sealed.push((scope, subject, seq)),
            Change::Event(scope, event, seq) => {
                self.events.push(row::event::active(scope, &event, seq)?);
                self.deliveries.extend(row::event::active_deliveries(scope, &event, seq));
            }
            Change::RunEvent(scope, event, offset) => {
                self.run_events.push(row::run_event::active(scope, &event, offset)?);
            }
            Change::Row(row) => self.rows.add(Arc::unwrap_or_clone(row)),
            Change::Touch(Touch::ApiKey { id, at, address }) => {
                let last = self.used_keys.entry(id).or_default();
                *last = Ord::max((at, address), std::mem::take(last));
            }
            Change::Touch(Touch::Session { id, at, token_expires_at }) => {
                let last = self.seen_sessions.entry(id).or_insert((at, token_expires_at));
                *last = Ord::max((at, token_expires_at), *last);
            }
            Change::Resolve(scope, resolution) => self.resolutions.push((scope, resolution)),
        }
        Ok(())
    }
}

async fn raise_epochs(db: &mut LedgerTransaction, changes: &Changes) -> Result<(), Trouble> {
    use entity::tenant::{Column, Entity};
    let rows = changes.epochs.iter().map(|(id, epoch)| vec![id.as_uuid().into(), number(*epoch).into()]).collect();
    update::<Entity>(db, Column::Id, &[Column::AuthEpoch], &[], rows).await
}

async fn move_runs(db: &mut LedgerTransaction, state: &State, changes: &Changes) -> Result<(), Trouble> {
    use entity::run::{Column, Entity};
    let (mut moved, mut ended) = (Vec::new(), Vec::new());
    for id in &changes.runs {
        let Some((_, run)) = state.runs.get(id) else { continue };
        let mut values = vec![Value::from(id.as_uuid())];
        values.extend(row::run::moving(run)?);
        if run.end.is_none() {
            moved.push(values);
        } else {
            values.extend(row::run::ended(run)?);
            ended.push(values);
        }
    }
    let changed = [Column::ChangedAt];
    update::<Entity>(db, Column::Id, &row::run::MOVING, &changed, moved).await?;
    let columns: Vec<Column> = row::run::MOVING.into_iter().chain(row::run::ENDED).collect();
    update::<Entity>(db, Column::Id, &columns, &changed, ended).await
}

async fn move_steps(db: &mut LedgerTransaction, state: &State, changes: &Changes) -> Result<(), Trouble> {
    use entity::step::{Column, Entity};
    let (mut marked, mut closed) = (Vec::new(), Vec::new());
    for id in &changes.steps {
        let Some(step) = state.steps.get(id) else { continue };
        let id = Value::from(id.as_uuid());
        match row::step::closed(step)? {
            Some(values) => closed.push([id].into_iter().chain(values).collect()),
            None => marked.push(vec![id, step.outbound_at.into()]),
        }
    }
    update::<Entity>(db, Column::Id, &[Column::OutboundAt], &[], marked).await?;
    update::<Entity>(db, Column::Id, &row::step::CLOSED, &[], closed).await
}

async fn close_holds(db: &mut LedgerTransaction, changes: &Changes) -> Result<(), Trouble> {
    use entity::hold::{Column, Entity};
    let rows = changes.holds.iter().map(|id| vec![id.as_uuid().into(), false.into()]).collect();
    update::<Entity>(db, Column::Id, &[Column::Open], &[], rows).await
}

async fn move_tasks(db: &mut LedgerTransaction, state: &State, changes: &Changes) -> Result<(), Trouble> {
    use entity::task::{Column, Entity};
    let moved = changes.tasks.keys().filter_map(|id| Some((id, &state.tasks.get(id)?.1)));
    let rows: Result<Vec<_>, Corrupt> = moved
        .map(|(id, task)| Ok([id.as_uuid().into()].into_iter().chain(row::task::moving(task)?).collect()))
        .collect();
    update::<Entity>(db, Column::Id, &row::task::MOVING, &[Column::ChangedAt], rows?).await
}

async fn move_counters(db: &mut LedgerTransaction, state: &State, changes: &Changes) -> Result<(), Trouble> {
    use entity::counter::ActiveModel;
    let rows = changes.counters.iter().map(|full| {
        let counter = state.counters.get(full).copied().unwrap_or_default();
        ActiveModel {
            tenant_id: Set(full.0.as_uuid()),
            key: Set(full.1.as_str().to_owned()),
            value: Set(counter.value),
            held: Set(counter.held),
        }
    });
    put(db, rows.collect(), &[]).await
}

async fn move_claims(db: &mut LedgerTransaction, state: &State, changes: &Changes) -> Result<(), Trouble> {
    let moved = changes.claims.iter().filter_map(|full| Some((full, state.claims.get(full)?)));
    let rows: Result<Vec<_>, _> =
        moved.map(|((tenant_id, key), claim)| row::claim::active(*tenant_id, key, claim)).collect();
    put(db, rows?, &[]).await
}

async fn move_sequences(db: &mut LedgerTransaction, state: &State, changes: &Changes) -> Result<(), Trouble> {
    use entity::sequence::ActiveModel;
    let rows = changes.sequences.iter().map(|sequence| {
        let (tenant_id, key) = row::sequence_key(sequence);
        let value = state.sequences.get(sequence).copied().unwrap_or_default();
        ActiveModel { tenant_id: Set(tenant_id), key: Set(key), value: Set(number(value)) }
    });
    put(db, rows.collect(), &[]).await
}

async fn move_tally(db: &mut LedgerTransaction, tally: Tally) -> Result<(), Trouble> {
    let usage = tally.usage.iter().map(|(key, measures)| row::usage::active(key, measures));
    let measures: Vec<_> = Measure::all().map(row::usage::column).collect();
    add(db, usage.collect(), &measures).await?;
    let runs = tally.runs.iter().map(|(key, n)| row::usage::active_count(key, *n));
    add(db, runs.collect(), &[entity::run_count::Column::N]).await
}

async fn note_keys(
    db: &mut LedgerTransaction,
    used: BTreeMap<ApiKeyId, (DateTime<Utc>, Option<String>)>,
) -> Result<(), Trouble> {
    use entity::api_key::{Column, Entity};
    let row = |(id, (at, address)): (ApiKeyId, (DateTime<Utc>, Option<String>))| {
        vec![id.as_uuid().into(), at.into(), address.into()]
    };
    let rows = used.into_iter().map(row).collect();
    update::<Entity>(db, Column::Id, &[Column::LastUsedAt, Column::LastUsedAddress], &[], rows).await
}

async fn note_sessions(
    db: &mut LedgerTransaction,
    seen: BTreeMap<SessionId, (DateTime<Utc>, DateTime<Utc>)>,
) -> Result<(), Trouble> {
    use entity::session::{Column, Entity};
    let rows = seen.into_iter().map(|(id, (at, until))| vec![id.as_uuid().into(), at.into(), until.into()]).collect();
    update::<Entity>(db, Column::Id, &[Column::LastSeenAt, Column::TokenExpiresAt], &[], rows).await
}
