//! Refusals of a caller who proved who they are: failed runs without a step, equal ones of a few seconds sharing one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use types::id::RunId;
use types::problem::Code;
use types::run::{Content, Failure, RunStatus};

use super::Gateway;
use super::closing::{compared, finished_event};
use super::intent::new_run;
use super::repeat::Keyed;
use super::replay::Origin;
use crate::ledger::{Audit, Batch, Durability, LedgerError, NewRunEvent, Op, Outcome, Refusal, RunEnd};
use crate::{Error, OpContext};

/// How long equal refusals of one credential share a run.
const SHARED_FOR: Duration = Duration::from_secs(10);
/// Refusals remembered at once.
const CAPACITY: usize = 10_000;

/// What is known of a call that is refused.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Of<'a> {
    /// The model asked for.
    pub(super) model: Option<&'a str>,
    /// The caller's key it was to be made under.
    pub(super) keyed: Option<&'a Keyed>,
    /// The recorded call it comes out of.
    pub(super) origin: Option<&'a Origin>,
}

/// The runs that stand for the refusals of the last seconds.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<HashMap<(String, Code), (RunId, Duration)>>);

impl Refusals {
    fn shared(&self, who: &str, code: Code, now: Duration) -> Option<RunId> {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (run_id, since) = runs.get(&(who.to_owned(), code))?;
        (now.saturating_sub(*since) < SHARED_FOR).then_some(*run_id)
    }

    fn note(&self, who: String, code: Code, run_id: RunId, now: Duration) {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.len() >= CAPACITY {
            runs.retain(|_, (_, since)| now.saturating_sub(*since) < SHARED_FOR);
        }
        runs.insert((who, code), (run_id, now));
    }
}

impl Gateway {
    /// Records a refusal and names its run in the error. Where nothing can be recorded the refusal stands without a run.
    pub async fn refuse(&self, ctx: &OpContext, model: Option<&str>, error: Error) -> Error {
        self.refuse_under(ctx, Of { model, ..Of::default() }, error).await
    }

    /// The same of a call under a key, which remembers the try, so that the next one is known to be another; or of one that
    /// comes out of a recorded one.
    pub(super) async fn refuse_under(&self, ctx: &OpContext, of: Of<'_>, error: Error) -> Error {
        let Of { model, keyed, origin } = of;
        let Some(fence) = self.ports.lifecycle.fence() else { return error };
        let who = ctx.credential_id().unwrap_or_default();
        let now = self.ports.clock.monotonic();
        // Each try under a key, and each replay, is a run of its own.
        let is_alone = keyed.is_some() || origin.is_some();
        let shared = self.refusals.shared(&who, error.code(), now).filter(|_| !is_alone);
        let run_id = shared.unwrap_or_else(|| self.ports.ids.run());
        let mut batch = Batch::opening(ctx.scope, Durability::Process);
        if shared.is_none() {
            let mut run = new_run(ctx, run_id, fence);
            run.model_ref = model.map(|model| model.chars().take(200).collect());
            run.source_run_id = keyed.and_then(|keyed| keyed.source_run_id);
            run.attempt_no = keyed.map_or(1, |keyed| keyed.attempt_no);
            if let Some(origin) = origin {
                run = origin.order.mark(run);
            }
            let end = RunEnd {
                ended_at: self.ports.clock.now(),
                error: Some(failure(&error)),
                input_artifact: None,
                output: Content::default(),
                delivered: None,
                flags: origin.map(|origin| origin.refused_flags(&error)).unwrap_or_default(),
            };
            let event = NewRunEvent {
                run_id,
                event_type: "run.finished",
                step_id: None,
                payload: json!({ "status": RunStatus::Failed, "code": error.code() }),
                occurred_at: end.ended_at,
            };
            batch = batch.with([Op::RunOpen(Arc::new(run))]);
            let at = end.ended_at;
            if let Some(origin) = origin {
                batch = batch.with(origin.order.told(ctx, &*self.ports.ids, run_id, at));
                let divergence = origin.refused(&error);
                let told = divergence.map(|divergence| compared(run_id, Some(&divergence), at));
                batch = batch.with(told.map(|event| Op::RunEventAppend(Arc::new(event))));
            }
            batch = batch.with([
                Op::EventEmit(Arc::new(finished_event(self, run_id, RunStatus::Failed, end.ended_at))),
                Op::RunMove { run_id, to: RunStatus::Failed, end: Some(Arc::new(end)) },
                Op::RunEventAppend(Arc::new(event)),
            ]);
            let at = self.ports.clock.now();
            let tried = keyed.map(|keyed| [keyed.claim(ctx, run_id, fence), keyed.release(run_id, at)]);
            batch = batch.with(tried.into_iter().flatten());
            batch = batch.with(self.audit(ctx, run_id, &error).map(|audit| Op::AuditAppend(Arc::new(audit))));
        }
        batch.push(Op::RefusalCount { run_id });
        match self.ports.ledger.commit(batch).await {
            Ok(_) => {
                if shared.is_none() && !is_alone {
                    self.refusals.note(who, error.code(), run_id, now);
                }
                error.with_run(run_id)
            }
            // Somebody else has the key by now: the refusal stands by itself.
            Err(LedgerError::Refused(Refusal::Claimed(_))) if keyed.is_some() => {
                Box::pin(self.refuse_under(ctx, Of { keyed: None, ..of }, error)).await
            }
            Err(lost) => {
                tracing::warn!(code = %error.code(), error = %lost, "a refusal could not be recorded");
                error
            }
        }
    }

    /// Refusals of a budget or of the egress rules are audited, the latter with the rules they were decided under.
    pub(super) fn audit(&self, ctx: &OpContext, run_id: RunId, error: &Error) -> Option<Audit> {
        let (event_type, resource_type) = match error.code() {
            Code::BudgetExhausted => ("budget.exhausted", "budget"),
            Code::EgressDenied => ("security.egress.blocked", "egress"),
            _ => return None,
        };
        let problem = error.problem();
        let mut payload = json!({ "code": problem.code, "reason": problem.reason, "detail": problem.detail });
        if let (Value::Object(payload), Value::Object(about)) = (&mut payload, json!(problem.egress)) {
            payload.extend(about);
        }
        let budget_id = problem.budget.as_ref().map(|budget| budget.id.to_string());
        let audit = Audit {
            id: self.ports.ids.audit(),
            event_type: event_type.to_owned(),
            operation: "model.call".to_owned(),
            outcome: Outcome::Denied,
            resource_type: resource_type.to_owned(),
            resource_id: budget_id.unwrap_or_else(|| ctx.scope.workspace_id.to_string()),
            actor: ctx.caller(),
            run_id: Some(run_id),
            address: ctx.address.map(|address| address.to_string()),
            credential_id: ctx.credential_id(),
            payload: Value::Null,
            occurred_at: self.ports.clock.now(),
        };
        Some(audit.of(ctx).with_payload(payload))
    }
}

/// An error as runs and steps keep it.
pub(super) fn failure(error: &Error) -> Failure {
    Failure { code: error.code().to_string(), message: error.detail().chars().take(2000).collect(), step_id: None }
}
