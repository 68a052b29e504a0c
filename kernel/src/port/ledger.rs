//! The one way to write: batches.

use async_trait::async_trait;
use types::id::RunId;
use types::run::RunEvent;

use crate::ledger::{Batch, Change, Changes, Claim, Counter, CounterKey, LedgerError, State};

/// What the store gave an applied batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Committed {
    /// The batch's run events with their offsets, in order.
    pub run_events: Vec<RunEvent>,
    /// Where the counters the batch moved stand right after it.
    pub counters: Vec<(CounterKey, Counter)>,
    /// The caller's key that the batch claimed or let go, as it is right after it.
    pub claim: Option<Claim>,
}

impl Committed {
    /// What a batch is told whose changes were just applied to the state.
    pub fn of(changes: &Changes, state: &State) -> Self {
        let run_events = changes.list.iter().filter_map(|change| match change {
            Change::RunEvent(_, event, offset) => Some(RunEvent {
                run_id: event.run_id,
                offset: *offset,
                event_type: event.event_type.to_owned(),
                step_id: event.step_id,
                payload: event.payload.clone(),
                occurred_at: event.occurred_at,
            }),
            _ => None,
        });
        let counters = changes.counters.iter();
        let counters = counters.map(|full| (full.1.clone(), state.counters.get(full).copied().unwrap_or_default()));
        let claim = changes.claims.first().and_then(|full| state.claims.get(full)).cloned();
        Self { run_events: run_events.collect(), counters: counters.collect(), claim }
    }
}

/// Applies batches. An answer of `Ok` means durable at the level asked for; of `Err`, that nothing changed.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Applies the batch whole or not at all. May share a transaction with other callers' batches.
    async fn commit(&self, batch: Batch) -> Result<Committed, LedgerError>;
}

/// Told of what was committed, after it is durable and before the caller is answered. Must be quick and must not fail.
pub trait CommitObserver: Send + Sync {
    /// Run events of one transaction, in order of their runs' offsets.
    fn run_events(&self, events: &[RunEvent]);
    /// Runs that were opened, moved or ended in one transaction.
    fn runs_changed(&self, runs: &[(crate::context::Scope, RunId)]);
    /// One transaction: how many batches it held and how long it took, for the metrics.
    fn committed(&self, batches: usize, took: std::time::Duration);
    /// Outbox events were written: dispatchers may look.
    fn events_emitted(&self);
    /// Tasks that were opened or moved in one transaction: workers may look.
    fn tasks_changed(&self, _tasks: &[(crate::context::Scope, types::id::TaskId)]) {}
    /// Tenants whose epoch was raised in one transaction, with the new epoch: caches of older decisions are stale.
    fn epochs_raised(&self, _epochs: &[(types::id::TenantId, u64)]) {}
}
