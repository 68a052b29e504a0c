//! The intent batch: what is written before a call leaves, so that no crash can lose it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use types::cost::{Cost, CostKind, UsageBasis};
use types::id::{CallId, CostId, HoldId, RunId, StepId};
use types::run::{Capture, Content, Effect, Mode, RunStatus, Source, StepType, Usage, UsageClass};

use super::plan::Plan;
use super::price::{Bill, bill};
use super::repeat::Keyed;
use super::replay::Origin;
use super::wish::Wish;
use super::{Gateway, Operation, preview};
use crate::OpContext;
use crate::chain::Salt;
use crate::ledger::{Batch, Durability, Fence, Hold, NewRun, NewRunEvent, NewStep, Op};
use crate::policy::egress::EMPTY_BUNDLE;
use crate::port::Ids;
use crate::replay::REPLAY_OF;

/// One attempt: it is about to be made, or under way.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) number: u32,
    pub(super) step_id: StepId,
    pub(super) hold_id: HoldId,
    pub(super) cost_id: CostId,
    pub(super) at: DateTime<Utc>,
}

impl Gateway {
    pub(super) fn new_attempt(&self, number: u32) -> Attempt {
        let ids = self.ports.ids.as_ref();
        let at = self.ports.clock.now();
        Attempt { number, step_id: ids.step(), hold_id: ids.hold(), cost_id: ids.cost(), at }
    }
}

/// A call with everything its batches name.
pub(super) struct Call {
    pub(super) ctx: OpContext,
    pub(super) wish: Wish,
    pub(super) plan: Plan,
    pub(super) run_id: RunId,
    pub(super) call_id: CallId,
    /// Salt of the commitments to what is kept of it.
    pub(super) salt: Salt,
    /// The caller's key it is made under.
    pub(super) keyed: Option<Keyed>,
    /// The recorded call it comes out of.
    pub(super) origin: Option<Arc<Origin>>,
}

/// A run of this door, still without a model or content.
pub(super) fn new_run(ctx: &OpContext, id: RunId, fence: Fence) -> NewRun {
    NewRun {
        id,
        mode: Mode::Gateway,
        source: Source::Gateway,
        entry: ctx.entry,
        status: RunStatus::Running,
        caller: ctx.caller(),
        user_id: ctx.answerable(),
        api_key_id: ctx.api_key_id(),
        root_run_id: id,
        parent_run_id: None,
        source_run_id: None,
        attempt_no: 1,
        capture: Capture::MetadataOnly,
        trace_id: ctx.trace_id.clone(),
        request_id: Some(ctx.request_id),
        policy_revision: EMPTY_BUNDLE.to_owned(),
        sandbox: false,
        model_ref: None,
        input: Content::default(),
        salt: None,
        labels: std::collections::BTreeMap::new(),
        owner: Some(fence),
        started_at: ctx.now,
    }
}

impl Call {
    /// The batch that opens the run and its first attempt.
    pub(super) fn intent(&self, ids: &dyn Ids, attempt: &Attempt, fence: Fence, auth_epoch: u64) -> Batch {
        let (ctx, capture) = (&self.ctx, self.plan.capture);
        let origin = self.origin.iter().flat_map(|origin| origin.begun(ctx, ids, self.run_id, capture, attempt.at));
        let requests = self.plan.requests.iter().map(|(key, limit)| Op::CounterAdd {
            key: key.clone(),
            delta: 1,
            limit: Some(*limit),
        });
        Batch::opening(self.ctx.scope, Durability::Process)
            .under_epoch(auth_epoch)
            .fenced(fence)
            .with(self.keyed.iter().map(|keyed| keyed.claim(&self.ctx, self.run_id, fence)))
            .with(requests)
            .with([
                Op::RunOpen(Arc::new(self.new_run(fence))),
                self.event(
                    "run.started",
                    attempt,
                    attempt.at,
                    json!({ "mode": Mode::Gateway, "model_ref": self.wish.model }),
                ),
            ])
            .with(origin)
            .with(self.open(attempt))
    }

    /// What opens an attempt: its step, marked as leaving, and its hold.
    pub(super) fn open(&self, attempt: &Attempt) -> Vec<Op> {
        let opened =
            json!({ "type": self.step_type(), "attempt_no": attempt.number, "target_ref": self.plan.target.model_ref });
        let step = Op::StepOpen(Arc::new(self.new_step(attempt)));
        let mut ops = vec![step, self.event("step.opened", attempt, attempt.at, opened)];
        if self.is_live() {
            ops.push(Op::HoldPlace(Arc::new(Hold {
                id: attempt.hold_id,
                run_id: self.run_id,
                step_id: attempt.step_id,
                lines: self.plan.lines.clone(),
                worst_case: Some(Box::new(self.worst_case(attempt))),
            })));
        }
        ops
    }

    /// Whether anything leaves: not where the call is made from its record.
    pub(super) fn is_live(&self) -> bool {
        self.wish.script.is_none()
    }

    /// Whether it goes on without a client.
    pub(super) fn runs_on(&self) -> bool {
        self.keyed.is_some() || self.origin.is_some()
    }

    /// What is known of an attempt when it starts: ids, enums and numbers.
    pub(super) fn metrics(&self, attempt: &Attempt) -> Map<String, Value> {
        let mut metrics = self.plan.metrics(&self.wish);
        let repeated = self.wish.script.as_ref().and_then(|script| script.step(attempt.number));
        metrics.extend(repeated.map(|step| (REPLAY_OF.to_owned(), json!(step.id))));
        metrics
    }

    pub(super) fn event(&self, event_type: &'static str, attempt: &Attempt, at: DateTime<Utc>, payload: Value) -> Op {
        Op::RunEventAppend(Arc::new(NewRunEvent {
            run_id: self.run_id,
            event_type,
            step_id: Some(attempt.step_id),
            payload,
            occurred_at: at,
        }))
    }

    fn new_run(&self, fence: Fence) -> NewRun {
        let run = NewRun {
            policy_revision: self.plan.decision.policy_revision.clone(),
            capture: self.plan.capture,
            input: self.input(),
            salt: (self.plan.capture != Capture::MetadataOnly).then_some(self.salt),
            model_ref: Some(self.wish.model.clone()),
            labels: self.plan.labels.clone(),
            source_run_id: self.keyed.as_ref().and_then(|keyed| keyed.source_run_id),
            attempt_no: self.keyed.as_ref().map_or(1, |keyed| keyed.attempt_no),
            ..new_run(&self.ctx, self.run_id, fence)
        };
        match &self.origin {
            Some(origin) => origin.order.mark(run),
            None => run,
        }
    }

    fn input(&self) -> Content {
        preview::content(self.wish.texts.iter().map(String::as_str), self.plan.capture)
    }

    pub(super) fn step_type(&self) -> StepType {
        match self.wish.operation {
            Operation::Chat => StepType::ModelCall,
            Operation::Embeddings => StepType::Embedding,
        }
    }

    fn new_step(&self, attempt: &Attempt) -> NewStep {
        NewStep {
            id: attempt.step_id,
            run_id: self.run_id,
            parent_step_id: None,
            call_id: Some(self.call_id),
            step_type: self.step_type(),
            attempt_no: attempt.number,
            effect: if self.is_live() { Effect::Read } else { Effect::None },
            decision: self.plan.decision.to_value(),
            request_digest: Some(self.plan.digest.clone()),
            input: self.input(),
            metrics: Value::Object(self.metrics(attempt)),
            started_at: attempt.at,
            outbound_at: self.is_live().then_some(attempt.at),
        }
    }

    /// The cost row of the whole hold: booked if this process dies while the call is out.
    fn worst_case(&self, attempt: &Attempt) -> Cost {
        let mut usage = Usage::default();
        usage.set(UsageClass::Input, self.plan.prompt.bound);
        usage.set(UsageClass::Output, self.plan.output.unwrap_or_default());
        let mut bill = bill(self.plan.price.as_ref(), &usage, UsageBasis::Hold, self.plan.output.is_some());
        // What is held, not what the lines round to.
        if let (Some(money), Ok(worst)) = (&mut bill.money, self.plan.worst) {
            *money = worst;
        }
        self.cost(attempt, usage, UsageBasis::Hold, bill)
    }

    /// A cost row of an attempt.
    pub(super) fn cost(&self, attempt: &Attempt, usage: Usage, usage_basis: UsageBasis, bill: Bill) -> Cost {
        let target = &self.plan.target;
        Cost {
            id: attempt.cost_id,
            run_id: self.run_id,
            step_id: attempt.step_id,
            kind: CostKind::Charge,
            occurred_at: self.ctx.now,
            source_ref: format!("step:{}", attempt.step_id),
            source_port: "llm".to_owned(),
            operation: self.wish.operation.as_str().to_owned(),
            provider: target.kind.to_string(),
            provider_id: target.account.as_ref().map(|account| account.id),
            model_ref: self.wish.model.clone(),
            target_ref: target.model_ref.clone(),
            upstream_model: target.upstream_model.clone(),
            upstream_id: None,
            upstream_request_id: None,
            api_key_id: self.ctx.api_key_id(),
            usage,
            usage_basis,
            pricing_status: bill.status,
            reason: bill.reason.map(str::to_owned),
            currency: bill.money.map(|money| money.currency),
            amount: bill.money.map(|money| money.amount),
            price_id: self.plan.price.as_ref().map(|price| price.id),
            snapshot: bill.snapshot,
        }
    }
}
