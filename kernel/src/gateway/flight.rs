//! A call under way: its attempts one after the other, then its landing.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use serde_json::{Map, Value};
use types::replay::Divergence;

use super::answer::Said;
use super::client::Client;
use super::closing::Closing;
use super::content::Input;
use super::control::{Canceled, InFlight};
use super::intent::{Attempt, Call};
use super::plan::Plan;
use super::repeat::Frames;
use super::replay::{Met, Tape};
use super::reply::{Facts, Standings};
use super::slot::Slot;
use super::watch::{Ends, Event, Interrupt, Watch};
use super::{Gateway, retry};
use crate::ledger::{Batch, Durability, Fence, LedgerError, Op, Refusal};
use crate::port::UpstreamError;
use crate::{Error, OpContext, Result};

/// A call whose intent is durable.
pub(super) struct Flight {
    pub(super) gateway: Arc<Gateway>,
    pub(super) call: Call,
    pub(super) attempt: Attempt,
    pub(super) client: Client,
    pub(super) fence: Fence,
    /// The epoch the call was decided under.
    pub(super) auth_epoch: u64,
    pub(super) standings: Standings,
    /// When all attempts together must have come to an answer, on the monotonic clock.
    pub(super) deadline: Duration,
    /// Everything written so far: given to a store again that lost it.
    pub(super) written: Vec<Op>,
    /// What a stream under a key said so far: it is answered again.
    pub(super) frames: Frames,
    /// What went in, where it is kept whole.
    pub(super) input: Input,
    /// What is kept of it so that it can be replayed.
    pub(super) tape: Tape,
    /// Where it is not the recorded call it is made from.
    pub(super) divergence: Option<Divergence>,
    /// Resolves when somebody wants the run to end.
    pub(super) canceled: Canceled,
    /// Free again when the flight is over.
    pub(super) _slot: Slot,
    pub(super) _in_flight: InFlight,
}

/// How an attempt ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) trace: Trace,
    /// What ended the run after the attempt had failed by itself.
    pub(super) then: Option<Interrupt>,
}

/// The end of an attempt.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Answered: with a body to deliver, or a stream that was delivered.
    Answered(Option<String>),
    /// soit let nothing out.
    Refused(Error),
    /// The provider failed.
    Failed(UpstreamError),
    /// Interrupted while the provider worked.
    Interrupted(Interrupt),
    /// The provider did not stop at the cap.
    OverCap,
    /// The provider answered, and the answer may not be released.
    Withheld(Error),
}

/// What was seen of an attempt.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// Whether anything was let out.
    pub(super) was_sent: bool,
    /// Whether content reached the client: nothing is tried again then.
    pub(super) has_content: bool,
    pub(super) said: Said,
    pub(super) upstream_request_id: Option<String>,
    pub(super) ttft: Option<Duration>,
    /// The gates passed on the way out.
    pub(super) gates: Map<String, Value>,
    /// What came back, as it is kept.
    pub(super) met: Met,
}

impl Flight {
    /// Flies the call to its end. Runs on a tracked task: no client can skip the landing.
    pub(super) async fn fly(mut self) {
        loop {
            let mut ended = self.attempt().await;
            self.tape.note(&self.call, &self.attempt, &mut ended);
            let Some(wait) = self.wait_after(&ended) else { return self.land(ended).await };
            ended.then = self.pause(wait).await;
            if ended.then.is_some() || !self.try_again(&ended).await {
                return self.land(ended).await;
            }
        }
    }

    /// What is known of the call when it answers.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            run_id: self.call.run_id,
            model_ref: self.call.plan.target.model_ref.clone(),
            attempts: self.attempt.number,
            standings: self.standings,
            is_replayed: false,
        }
    }

    /// How long to wait before another attempt; `None` when this one was the last.
    fn wait_after(&self, ended: &Ended) -> Option<Duration> {
        let Outcome::Failed(error) = &ended.outcome else { return None };
        if ended.trace.has_content {
            return None;
        }
        let ports = &self.gateway.ports;
        let most = self.call.plan.target.max_retries();
        let wait = retry::wait(error, self.attempt.number, most, ports.ids.as_ref())?;
        if !self.call.is_live() {
            return Some(Duration::ZERO);
        }
        (ports.clock.monotonic() + wait < self.deadline).then_some(wait)
    }

    /// Waits, unless something ends the call meanwhile.
    async fn pause(&mut self, wait: Duration) -> Option<Interrupt> {
        let mut watch = self.watch();
        let mut timer = self.gateway.ports.clock.sleep(wait);
        loop {
            let client = &mut self.client;
            let event = poll_fn(|cx| match timer.poll_unpin(cx) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => watch.poll(cx, client).map(Some),
            });
            match event.await {
                None | Some(Event::Expired) => return None,
                Some(Event::Silent) => {}
                Some(Event::Interrupted(interrupt)) => return Some(interrupt),
            }
        }
    }

    pub(super) fn watch(&self) -> Watch {
        let ports = &self.gateway.ports;
        let (clock, aborting) = (Arc::clone(&ports.clock), ports.lifecycle.aborting());
        let ends = Ends { aborting, canceled: self.canceled.clone() };
        if self.call.wish.stream.is_some() {
            let longest = self.gateway.settings.stream_timeout;
            let asked = self.call.wish.options.timeout;
            let runs_on = self.call.runs_on();
            Watch::over_stream(clock, ends, asked.map_or(longest, |asked| asked.min(longest)), runs_on)
        } else {
            Watch::over_whole(clock, ends)
        }
    }

    /// Closes the failed attempt and opens the next. False when rules or the store say no: the failure stands then.
    async fn try_again(&mut self, ended: &Ended) -> bool {
        let closing = self.closing(ended, false).await;
        let opened = match self.open_next(&closing).await {
            Err(LedgerError::Refused(Refusal::AuthEpoch { .. })) => self.open_next_anew(&closing).await,
            opened => opened.map_err(Error::from),
        };
        if let Err(error) = &opened {
            tracing::info!(run.id = %self.call.run_id, error = %error, "no other attempt");
        }
        opened.is_ok()
    }

    /// The same by the rules of now, for those the call was decided by have moved.
    async fn open_next_anew(&mut self, closing: &Closing) -> Result<()> {
        let ports = &self.gateway.ports;
        ports.catalog.forget(self.call.ctx.scope);
        let ctx = ports.access.reauthenticate(&self.call.ctx).await?;
        // How much is kept is fixed when the run starts: rules of later may keep less, never more.
        self.call.wish.options.capture = Some(self.call.plan.capture);
        let plan = self.gateway.plan(&ctx, &self.call.wish).await?;
        let auth_epoch = ctx.auth_epoch.min(plan.snapshot.auth_epoch);
        let mut other = (ctx, plan, auth_epoch);
        self.swap_decision(&mut other);
        let opened = self.open_next(closing).await;
        if opened.is_err() {
            // What was charged so far was decided by the former rules.
            self.swap_decision(&mut other);
        }
        Ok(opened?)
    }

    fn swap_decision(&mut self, (ctx, plan, auth_epoch): &mut (OpContext, Plan, u64)) {
        std::mem::swap(&mut self.call.ctx, ctx);
        std::mem::swap(&mut self.call.plan, plan);
        std::mem::swap(&mut self.auth_epoch, auth_epoch);
    }

    /// Commits the end of the attempt and the begin of the next in one batch.
    async fn open_next(&mut self, closing: &Closing) -> std::result::Result<(), LedgerError> {
        let next = self.gateway.new_attempt(self.attempt.number + 1);
        let mut ops = closing.attempt_ops(&self.call, &self.attempt, &self.call.plan.snapshot.budgets);
        ops.extend(self.call.open(&next));
        let batch = Batch::opening(self.call.ctx.scope, Durability::Process)
            .under_epoch(self.auth_epoch)
            .fenced(self.fence)
            .with(ops.iter().cloned());
        self.gateway.ports.ledger.commit(batch).await?;
        self.written.extend(ops);
        self.input.is_written = true;
        self.attempt = next;
        Ok(())
    }
}
