//! The landing: what a call was is written before its last byte is let go, however often the store has to be asked.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use futures::pin_mut;
use types::budget::Budget;

use super::client::Client;
use super::closing::Closing;
use super::flight::{Ended, Flight, Outcome};
use super::intent::Call;
use super::reply::{Facts, Refused, Whole};
use super::{Gateway, span};
use crate::ledger::{Batch, Hold, HoldLine, LedgerError, NewClaim, Op, Refusal};

/// An answer is not kept back longer than this for a slow store.
const PATIENCE: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// After so many failures on the batch itself, half a minute and long after the client is answered, the store is asked slowly.
const MANY_FAILURES: u32 = 20;
const SLOW_PAUSE: Duration = Duration::from_secs(60);

impl Flight {
    /// Writes the end of the call and answers. The write outlives the answer where the store is slow.
    pub(super) async fn land(mut self, ended: Ended) {
        let mut closing = self.closing(&ended, true).await;
        closing.keep(self.keep_record().await);
        span::note_end(closing.cost.as_deref(), closing.error.as_ref());
        let facts = self.facts();
        let Self { gateway, call, attempt, client, written, .. } = self;
        let answer = Answer { closing: &closing, outcome: ended.outcome, facts };
        let settled = gateway.settle(&call, &written, |budgets| closing.run_ops(&call, &attempt, budgets));
        let patience = gateway.ports.clock.sleep(PATIENCE);
        pin_mut!(settled);
        match select(settled, patience).await {
            Either::Left(_) => answer.deliver(client, false),
            Either::Right((_, settled)) => {
                tracing::warn!(run.id = %call.run_id, "answering before the settlement is durable");
                let deferred = gateway.deferred.one_more();
                answer.deliver(client, true);
                settled.await;
                drop(deferred);
            }
        }
    }
}

/// What the client gets at the end.
struct Answer<'a> {
    closing: &'a Closing,
    outcome: Outcome,
    facts: Facts,
}

impl Answer<'_> {
    fn deliver(self, client: Client, is_deferred: bool) {
        match (self.outcome, &self.closing.error) {
            (Outcome::Answered(Some(body)), _) => {
                client.answer(Whole { facts: self.facts, body, cost: self.closing.money(), is_deferred });
            }
            (Outcome::Answered(None), _) => client.end(),
            (_, Some(error)) => client.fail(Refused {
                error: error.clone(),
                standings: self.facts.standings,
                attempts: Some(self.facts.attempts),
            }),
            // Nobody is there any more.
            (_, None) => client.end(),
        }
    }
}

impl Gateway {
    /// Commits the end of a call, again and again until it is durable or somebody else has closed the call. An end that the
    /// store itself cannot write counts as stuck after a while and is tried slowly from then on: what kept the store from it
    /// may be mended, and what it holds is let go then. Not fenced: of two that close, this process and the reaper of another,
    /// the store lets one through.
    async fn settle(&self, call: &Call, written: &[Op], ops: impl Fn(&[Budget]) -> Vec<Op>) {
        let mut pause = FIRST_PAUSE;
        let (mut is_lost, mut failures, mut stuck) = (false, 0_u32, None);
        loop {
            match self.try_settle(call, if is_lost { written } else { &[] }, &ops).await {
                Ok(()) => return,
                // Budgets may have changed: the batch is made anew for those that bind now.
                Err(LedgerError::Refused(Refusal::AuthEpoch { .. })) => self.ports.catalog.forget(call.ctx.scope),
                // The store came back without the intent, which was not synced.
                Err(LedgerError::Refused(Refusal::Missing { .. })) if !is_lost => is_lost = true,
                Err(LedgerError::Refused(refusal)) => {
                    tracing::warn!(%refusal, "the call was closed by somebody else");
                    return;
                }
                Err(error) => {
                    failures = failures.saturating_add(u32::from(matches!(error, LedgerError::Internal(_))));
                    if failures >= MANY_FAILURES && stuck.is_none() {
                        tracing::error!(run.id = %call.run_id, %error, "the store cannot write the end of the call");
                        stuck = Some(self.stuck.one_more());
                    } else {
                        tracing::warn!(%error, "a settlement waits for the store");
                    }
                    self.ports.clock.sleep(if stuck.is_some() { SLOW_PAUSE } else { pause }).await;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    async fn try_settle(
        &self,
        call: &Call,
        lost: &[Op],
        ops: &impl Fn(&[Budget]) -> Vec<Op>,
    ) -> Result<(), LedgerError> {
        let scope = call.ctx.scope;
        let read = self.ports.catalog.snapshot(scope).await;
        let batch = Batch::closing(scope).with(lost.iter().map(without_limits));
        let batch = match read.map_err(|error| LedgerError::Unavailable(error.to_string()))? {
            Some(snapshot) => batch.under_epoch(snapshot.auth_epoch).with(ops(&snapshot.budgets)),
            // A workspace that is gone makes no new budgets: those of the admission are booked on.
            None => batch.with(ops(&call.plan.snapshot.budgets)),
        };
        self.ports.ledger.commit(batch).await.map(drop)
    }
}

/// What was admitted once is not judged again.
fn without_limits(op: &Op) -> Op {
    match op {
        Op::CounterAdd { key, delta, .. } => Op::CounterAdd { key: key.clone(), delta: *delta, limit: None },
        Op::HoldPlace(hold) => {
            let lines = hold.lines.iter().map(|line| HoldLine { limit: None, ..line.clone() }).collect();
            Op::HoldPlace(Arc::new(Hold { lines, ..(**hold).clone() }))
        }
        Op::KeyClaim(claim) => Op::KeyClaim(Arc::new(NewClaim { is_resent: true, ..(**claim).clone() })),
        other => other.clone(),
    }
}
