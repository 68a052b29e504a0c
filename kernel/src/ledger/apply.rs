//! Decides one batch against the state, in memory: all of it or nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::TimeDelta;
use types::id::{HoldId, RunId, StepId, TenantId};
use types::money::Money;
use types::run::{RunStatus, StepStatus, StepType};

use super::{
    Batch, Change, Changes, Claim, ClaimKey, CounterKey, Dimensions, Event, Hold, HoldState, NewRun, NewStep, Op,
    Refusal, RowKey, RunEnd, RunState, Sealed, Sequence, SettleLine, State, StepEnd, StepState, claim,
};
use crate::context::Scope;
use crate::record::Row;

/// Most operations of one batch.
const MAX_OPS: usize = 1_000;

impl State {
    /// Applies a batch whole, or refuses it and changes nothing.
    pub fn apply(&mut self, batch: Batch) -> Result<Changes, Refusal> {
        self.admit(&batch)?;
        let (over, changes, ended) = Default::default();
        let mut draft = Draft { base: self, over, changes, ended, scope: batch.scope };
        for op in batch.ops {
            draft.apply(op)?;
        }
        draft.seal_runs();
        let Draft { over, changes, .. } = draft;
        self.absorb(over);
        Ok(changes)
    }

    fn admit(&self, batch: &Batch) -> Result<(), Refusal> {
        if batch.ops.len() > MAX_OPS {
            return Err(Refusal::Invalid { what: "more than 1,000 operations" });
        }
        if let Some(epoch) = batch.auth_epoch {
            let current = self.epochs.get(&batch.scope.tenant_id).copied().unwrap_or_default();
            if epoch != current {
                return Err(Refusal::AuthEpoch { current });
            }
        }
        match batch.fence {
            Some(fence) if self.processes.get(&fence.process_id) != Some(&fence.epoch) => Err(Refusal::Fenced),
            _ => Ok(()),
        }
    }

    fn absorb(&mut self, over: Self) {
        self.runs.extend(over.runs);
        self.steps.extend(over.steps);
        self.holds.extend(over.holds);
        self.tasks.extend(over.tasks);
        self.counters.extend(over.counters);
        self.claims.extend(over.claims);
        self.cost_refs.extend(over.cost_refs);
        self.rows.extend(over.rows);
        self.sequences.extend(over.sequences);
        self.chains.extend(over.chains);
        self.epochs.extend(over.epochs);
    }
}

/// A batch being decided: reads fall through to the state, writes stay here until the last operation passed.
pub(super) struct Draft<'a> {
    pub(super) base: &'a State,
    pub(super) over: State,
    pub(super) changes: Changes,
    /// Runs that are over and whose record changed.
    ended: BTreeSet<RunId>,
    pub(super) scope: Scope,
}

impl Draft<'_> {
    fn apply(&mut self, op: Op) -> Result<(), Refusal> {
        match op {
            Op::RunOpen(run) => self.open_run(run),
            Op::RunMove { run_id, to, end } => self.move_run(run_id, to, end),
            Op::RefusalCount { run_id } => {
                let run = self.run(run_id)?;
                run.refusals = run.refusals.saturating_add(1);
                let dimensions = Arc::clone(&run.dimensions);
                self.changes.tally.refused(self.scope, &dimensions, 1);
                Ok(())
            }
            Op::ReplayCount { call, operation } => {
                self.changes.tally.replayed(self.scope, &call, operation);
                Ok(())
            }
            Op::StepOpen(step) => self.open_step(step),
            Op::StepMark { step_id, at } => {
                let run_id = self.step(step_id)?.run_id;
                self.working_run(run_id)?;
                self.step(step_id)?.outbound_at = Some(at);
                Ok(())
            }
            Op::StepClose(end) => self.close_step(end),
            Op::CounterAdd { key, delta, limit } => self.add(key, delta, limit),
            Op::HoldPlace(hold) => self.place_hold(hold),
            Op::HoldSettle { hold_id, lines } => self.close_hold(hold_id, lines),
            Op::HoldRelease { hold_id } => self.close_hold(hold_id, Vec::new()),
            Op::CostAdd(cost) => self.add_cost(cost),
            Op::RowPut(row) => self.put_row(row),
            Op::Touch(touch) => {
                self.changes.list.push(Change::Touch(touch));
                Ok(())
            }
            Op::EpochRaise(tenant_id) => {
                let next = self.epoch(tenant_id).saturating_add(1);
                self.over.epochs.insert(tenant_id, next);
                self.changes.epochs.insert(tenant_id, next);
                Ok(())
            }
            Op::EpochHold { tenant_id, epoch } => match self.epoch(tenant_id) {
                current if current == epoch => Ok(()),
                current => Err(Refusal::AuthEpoch { current }),
            },
            Op::KeyClaim(new) => {
                let claimed = claim::claim(self.scope, self.claimed(&new.key), &new)?;
                self.put_claim(&new.key, claimed);
                Ok(())
            }
            Op::KeyFinish(end) => {
                let finished = claim::finish(self.claimed(&end.key), &end);
                self.put_claim(&end.key, finished);
                Ok(())
            }
            Op::KeyRelease { key, holder, expires_at } => {
                let released = claim::release(self.claimed(&key), holder, expires_at);
                self.put_claim(&key, released);
                Ok(())
            }
            Op::AuditAppend(audit) => {
                let seq = self.next(Sequence::Audit(self.scope));
                self.changes.list.push(Change::Audit(self.scope, Arc::clone(&audit), seq));
                self.seal(Sealed::Audit(audit, seq));
                Ok(())
            }
            Op::KeyRotate(rotation) => {
                self.seal(Sealed::KeyRotation(rotation));
                Ok(())
            }
            Op::ArtifactAdd(artifact) => {
                if let Some(run_id) = artifact.run_id {
                    self.run(run_id)?;
                }
                self.changes.list.push(Change::Artifact(self.scope, artifact));
                Ok(())
            }
            Op::Task(op) => self.apply_task(op),
            Op::EventEmit(event) => self.emit(event),
            Op::RunEventAppend(event) => {
                let run = self.run(event.run_id)?;
                run.events += 1;
                let offset = run.events;
                self.changes.list.push(Change::RunEvent(self.scope, event, offset));
                Ok(())
            }
            Op::DeliveryResolve(resolution) => {
                self.changes.list.push(Change::Resolve(self.scope, resolution));
                Ok(())
            }
        }
    }

    fn claimed(&self, key: &ClaimKey) -> Option<&Claim> {
        let full = (self.scope.tenant_id, key.clone());
        [&self.over.claims, &self.base.claims].into_iter().find_map(|map| map.get(&full))
    }

    fn put_claim(&mut self, key: &ClaimKey, claim: Option<Claim>) {
        let Some(claim) = claim else { return };
        let full = (self.scope.tenant_id, key.clone());
        self.changes.claims.insert(full.clone());
        self.over.claims.insert(full, claim);
    }

    fn epoch(&self, tenant_id: TenantId) -> u64 {
        let epochs = [&self.over.epochs, &self.base.epochs];
        epochs.into_iter().find_map(|map| map.get(&tenant_id)).copied().unwrap_or_default()
    }

    fn next(&mut self, sequence: Sequence) -> u64 {
        let last = [&self.over.sequences, &self.base.sequences].into_iter().find_map(|map| map.get(&sequence));
        let next = last.copied().unwrap_or_default() + 1;
        self.over.sequences.insert(sequence.clone(), next);
        self.changes.sequences.insert(sequence);
        next
    }

    fn seal(&mut self, subject: Sealed) {
        let found = [&self.over.chains, &self.base.chains].into_iter().find_map(|map| map.get(&self.scope));
        let mut end = found.copied().unwrap_or_default();
        end.seq += 1;
        self.over.chains.insert(self.scope, end);
        self.changes.list.push(Change::Seal(self.scope, subject, end.seq));
    }

    /// Last of a batch, so that what it audits of a run stands before the run's own entry.
    fn seal_runs(&mut self) {
        for id in std::mem::take(&mut self.ended) {
            self.seal(Sealed::Run(id));
        }
    }

    /// A run of this workspace, ready to change.
    fn run(&mut self, id: RunId) -> Result<&mut RunState, Refusal> {
        let missing = Refusal::Missing { what: "run" };
        if !self.over.runs.contains_key(&id) {
            let found = self.base.runs.get(&id).filter(|(scope, _)| *scope == self.scope).cloned();
            self.over.runs.insert(id, found.ok_or(missing.clone())?);
            self.changes.runs.insert(id);
        }
        self.over.runs.get_mut(&id).map(|(_, run)| run).ok_or(missing)
    }

    /// A run that may still start something.
    pub(super) fn working_run(&mut self, id: RunId) -> Result<&mut RunState, Refusal> {
        let run = self.run(id)?;
        if run.status.is_final() || run.status == RunStatus::Canceling {
            return Err(Refusal::State { what: "run", present: run.status.to_string() });
        }
        Ok(run)
    }

    fn step(&mut self, id: StepId) -> Result<&mut StepState, Refusal> {
        let missing = Refusal::Missing { what: "step" };
        if !self.over.steps.contains_key(&id) {
            let found = self.base.steps.get(&id).cloned();
            self.over.steps.insert(id, found.ok_or(missing.clone())?);
            self.changes.steps.insert(id);
        }
        self.over.steps.get_mut(&id).ok_or(missing)
    }

    fn open_run(&mut self, run: Arc<NewRun>) -> Result<(), Refusal> {
        if let Some(parent) = run.parent_run_id {
            self.working_run(parent)?;
        }
        let dimensions = Arc::new(Dimensions::of(&run));
        self.changes.tally.run_opened(self.scope, &dimensions);
        let state = RunState {
            status: run.status,
            dimensions,
            steps: 0,
            events: 0,
            emitted: 0,
            open_steps: 0,
            open_holds: 0,
            totals: types::run::Totals::default(),
            refusals: 0,
            end: None,
        };
        self.over.runs.insert(run.id, (self.scope, state));
        self.changes.list.push(Change::NewRun(self.scope, run));
        Ok(())
    }

    fn move_run(&mut self, run_id: RunId, to: RunStatus, end: Option<Arc<RunEnd>>) -> Result<(), Refusal> {
        let run = self.run(run_id)?;
        if !run.status.may_become(to) {
            return Err(Refusal::State { what: "run", present: run.status.to_string() });
        }
        if to.is_final() {
            if run.open_steps > 0 || run.open_holds > 0 {
                return Err(Refusal::State { what: "run", present: "still at work".to_owned() });
            }
            let Some(end) = end else {
                return Err(Refusal::Invalid { what: "a final state without an end" });
            };
            let (dimensions, steps) = (Arc::clone(&run.dimensions), run.steps);
            let duration_ms = millis(end.ended_at - dimensions.started_at);
            run.end = Some(end);
            run.status = to;
            self.changes.tally.run_ended(self.scope, &dimensions, to, steps, duration_ms);
            self.ended.insert(run_id);
            return self.cancel_tasks(run_id);
        }
        run.status = to;
        Ok(())
    }

    fn open_step(&mut self, step: Arc<NewStep>) -> Result<(), Refusal> {
        let run = self.working_run(step.run_id)?;
        run.steps += 1;
        run.open_steps += 1;
        let seq = run.steps;
        let dimensions = Arc::clone(&run.dimensions);
        match step.step_type {
            StepType::ModelCall | StepType::Embedding | StepType::Image | StepType::Rerank => {
                run.totals.model_calls += 1
            }
            StepType::ToolCall => run.totals.tool_calls += 1,
            _ => {}
        }
        self.changes.tally.step_opened(self.scope, &dimensions, step.step_type);
        let state = StepState {
            run_id: step.run_id,
            step_type: step.step_type,
            status: StepStatus::Open,
            started_at: step.started_at,
            outbound_at: step.outbound_at,
            end: None,
        };
        self.over.steps.insert(step.id, state);
        self.changes.list.push(Change::NewStep(self.scope, step, seq));
        Ok(())
    }

    fn close_step(&mut self, end: Arc<StepEnd>) -> Result<(), Refusal> {
        if !end.status.is_closed() {
            return Err(Refusal::Invalid { what: "a step closed into an open state" });
        }
        let step = self.step(end.step_id)?;
        if step.status.is_closed() {
            return Err(Refusal::State { what: "step", present: step.status.to_string() });
        }
        step.status = end.status;
        let (run_id, step_type, latency_ms) = (step.run_id, step.step_type, millis(end.ended_at - step.started_at));
        step.end = Some(Arc::clone(&end));
        let run = self.run(run_id)?;
        run.open_steps = run.open_steps.saturating_sub(1);
        let dimensions = Arc::clone(&run.dimensions);
        self.changes.tally.step_closed(self.scope, &dimensions, step_type, end.status, latency_ms, end.ttft_ms);
        Ok(())
    }

    fn counter(&mut self, key: CounterKey) -> &mut super::Counter {
        let full = (self.scope.tenant_id, key);
        let present = self.base.counters.get(&full).copied().unwrap_or_default();
        self.changes.counters.insert(full.clone());
        self.over.counters.entry(full).or_insert(present)
    }

    fn add(&mut self, key: CounterKey, delta: i64, limit: Option<i64>) -> Result<(), Refusal> {
        let counter = self.counter(key.clone());
        if let Some(limit) = limit
            && !counter.fits(delta, limit)
        {
            return Err(Refusal::Limit { key, counter: *counter, needed: delta, limit });
        }
        counter.value = counter.value.saturating_add(delta);
        Ok(())
    }

    fn place_hold(&mut self, hold: Arc<Hold>) -> Result<(), Refusal> {
        self.working_run(hold.run_id)?.open_holds += 1;
        for line in &hold.lines {
            if line.amount < 0 {
                return Err(Refusal::Invalid { what: "a negative hold" });
            }
            let counter = self.counter(line.key.clone());
            if let Some(limit) = line.limit
                && line.amount > 0
                && !counter.fits(line.amount, limit)
            {
                return Err(Refusal::Limit { key: line.key.clone(), counter: *counter, needed: line.amount, limit });
            }
            counter.held = counter.held.saturating_add(line.amount);
        }
        let state = HoldState { run_id: hold.run_id, open: true, lines: hold.lines.clone() };
        self.over.holds.insert(hold.id, state);
        self.changes.list.push(Change::NewHold(self.scope, hold));
        Ok(())
    }

    fn close_hold(&mut self, hold_id: HoldId, settled: Vec<SettleLine>) -> Result<(), Refusal> {
        let found = [&self.over.holds, &self.base.holds].into_iter().find_map(|map| map.get(&hold_id));
        let Some(mut hold) = found.cloned() else {
            return Err(Refusal::Missing { what: "hold" });
        };
        if !hold.open {
            return Err(Refusal::Closed);
        }
        hold.open = false;
        for line in &hold.lines {
            let counter = self.counter(line.key.clone());
            counter.held = counter.held.saturating_sub(line.amount);
        }
        for line in settled {
            let counter = self.counter(line.key);
            counter.value = counter.value.saturating_add(line.amount);
        }
        let run = self.run(hold.run_id)?;
        run.open_holds = run.open_holds.saturating_sub(1);
        if self.base.holds.contains_key(&hold_id) {
            self.changes.holds.insert(hold_id);
        }
        self.over.holds.insert(hold_id, hold);
        Ok(())
    }

    fn add_cost(&mut self, cost: Arc<types::cost::Cost>) -> Result<(), Refusal> {
        let full = (self.scope.tenant_id, cost.source_ref.clone());
        if self.base.cost_refs.contains(&full) || !self.over.cost_refs.insert(full) {
            return Err(Refusal::Duplicate { source_ref: cost.source_ref.clone() });
        }
        let run = self.run(cost.run_id)?;
        let is_late = run.status.is_final();
        let dimensions = Arc::clone(&run.dimensions);
        let totals = &mut run.totals;
        totals.usage.add(&cost.usage);
        totals.estimated |= cost.pricing_status == types::cost::PricingStatus::Estimated;
        match (cost.currency, cost.amount) {
            (Some(currency), Some(amount)) => match totals.cost.iter_mut().find(|sum| sum.currency == currency) {
                Some(sum) => {
                    let what = Refusal::Invalid { what: "a run's cost beyond 64 bits" };
                    sum.amount = sum.amount.checked_add(amount).ok_or(what)?;
                }
                None => totals.cost.push(Money { currency, amount }),
            },
            _ => totals.unpriced += 1,
        }
        if is_late {
            self.ended.insert(cost.run_id);
        }
        self.changes.tally.charged(self.scope, &dimensions, (&*cost).into());
        self.changes.list.push(Change::Cost(self.scope, cost));
        Ok(())
    }

    fn put_row(&mut self, row: Arc<Row>) -> Result<(), Refusal> {
        let key = RowKey::of(&row);
        let current = [&self.over.rows, &self.base.rows].into_iter().find_map(|map| map.get(&key)).copied();
        let current = current.unwrap_or_default();
        if row.version() != current + 1 {
            return Err(Refusal::Version { table: row.table(), current });
        }
        self.over.rows.insert(key, row.version());
        self.changes.list.push(Change::Row(row));
        Ok(())
    }

    fn emit(&mut self, event: Arc<Event>) -> Result<(), Refusal> {
        let seq = match event.subject.parse::<RunId>() {
            Ok(run_id) => {
                let run = self.run(run_id)?;
                run.emitted += 1;
                run.emitted
            }
            Err(_) => self.next(Sequence::Subject(self.scope.tenant_id, event.subject.clone())),
        };
        self.changes.list.push(Change::Event(self.scope, event, seq));
        Ok(())
    }
}

/// A duration as rows keep it.
fn millis(duration: TimeDelta) -> u64 {
    u64::try_from(duration.num_milliseconds()).unwrap_or_default()
}
