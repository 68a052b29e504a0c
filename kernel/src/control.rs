//! Ending a run before it ends by itself.
//!
//! A run that waits, for its turn, for somebody or to be resumed, has nobody at work on it and ends at once. For one that goes
//! on the wish is written first: the run is `canceling`, and nothing new starts in it. Then the flight is cut, here or, where
//! the call goes on in another process, by that one's next look at the store. Start at [`Control::cancel_run`].

use std::sync::Arc;

use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use types::id::{RunId, UserId};
use types::problem::Code;
use types::run::{
    CallerKind, CanceledRuns, Content, EndReason, Failure, Run, RunFilter, RunQuery, RunStatus, StepStatus, Term,
};

use crate::gateway::{Access, Gateway};
use crate::ledger::{Audit, Batch, Durability, Event, Fence, LedgerError, NewRunEvent, Op, Refusal, RunEnd, StepEnd};
use crate::observe;
use crate::policy::guard::{self, Owner};
use crate::port::{Clock, Ids, Ledger, Runs};
use crate::{Error, OpContext, Result};

/// How often a wish is decided anew when access rules keep moving.
const DECISIONS: usize = 3;
/// How many runs are looked for at once.
const PAGE: u32 = 200;
/// How many runs are asked to end at the same time: they share commits.
const AT_ONCE: usize = 32;

/// What control of runs needs from the world.
pub struct Ports {
    /// Deciding anew who asks.
    pub access: Arc<dyn Access>,
    /// Reading runs.
    pub runs: Arc<dyn Runs>,
    /// Writing.
    pub ledger: Arc<dyn Ledger>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids of what is recorded.
    pub ids: Arc<dyn Ids>,
    /// The calls of this process.
    pub gateway: Arc<Gateway>,
}

/// Ends runs on demand.
pub struct Control {
    ports: Ports,
}

impl Control {
    /// Control of runs, over these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }

    /// Asks a run to end. May be asked again while it is about to; a run that is over refuses.
    pub async fn cancel_run(&self, ctx: &OpContext, id: RunId) -> Result<Run> {
        let mut ctx = ctx.clone();
        let mut refused = None;
        for _ in 0..DECISIONS {
            let run = self.controlled(&ctx, "run.cancel", id).await?;
            let batch = match run.status {
                RunStatus::Canceling => return Ok(run),
                status if waits(status) => self.canceled(&ctx, id).await?,
                _ => self.canceling(&ctx, id),
            };
            match self.ports.ledger.commit(batch).await {
                Ok(_) => {
                    self.ports.gateway.cut(id);
                    return self.find_run(&ctx, id).await;
                }
                // It ended, or somebody else asked, at this moment: the next look tells.
                Err(LedgerError::Refused(refusal @ Refusal::State { .. })) => refused = Some(refusal),
                Err(LedgerError::Refused(refusal @ Refusal::AuthEpoch { .. })) => {
                    ctx = self.ports.access.reauthenticate(&ctx).await?;
                    refused = Some(refusal);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(refused.unwrap_or(Refusal::AuthEpoch { current: 0 }).into())
    }

    /// Asks every run that matches and is not over to end. Each is decided by itself; to ask again does no harm.
    pub async fn cancel_runs(&self, ctx: &OpContext, filter: &RunFilter) -> Result<CanceledRuns> {
        guard::authorize(ctx, "run.list")?;
        guard::authorize_rows(ctx, "run.cancel")?;
        if *filter == RunFilter::default() {
            let detail = "name the runs by `id` or by a filter; `status=running` means all that go on";
            return Err(Error::new(Code::Invalid, detail).with_field("id", "is required where no filter is given"));
        }
        let mut query = RunQuery { filter: filter.clone(), limit: PAGE, ..RunQuery::default() };
        observe::check_runs(&query)?;
        query.filter.status = open(&filter.status);
        let mut told = CanceledRuns::default();
        while !query.filter.status.is_empty() {
            let page = self.ports.runs.list_runs(ctx.scope, &query).await?;
            let mut answers =
                stream::iter(page.items).map(|run| self.cancel_run(ctx, run.id)).buffer_unordered(AT_ONCE);
            while let Some(answer) = answers.next().await {
                match answer {
                    Ok(_) => told.canceling += 1,
                    Err(error) if error.code() == Code::InvalidTransition => told.over += 1,
                    Err(error) if error.code() == Code::RoleRequired => told.refused += 1,
                    Err(error) => return Err(error),
                }
            }
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                break;
            }
        }
        Ok(told)
    }

    /// Refuses to pause a run: a model call has no place to wait.
    pub async fn pause_run(&self, ctx: &OpContext, id: RunId) -> Result<Run> {
        self.controlled(ctx, "run.pause", id).await?;
        Err(Error::new(Code::NotSupported, "a model call cannot be paused, only canceled"))
    }

    /// Refuses to resume a run: none of this kind was ever paused.
    pub async fn resume_run(&self, ctx: &OpContext, id: RunId) -> Result<Run> {
        self.controlled(ctx, "run.resume", id).await?;
        Err(Error::new(Code::NotSupported, "a model call is never paused, so there is nothing to resume"))
    }

    /// Cuts the runs of this process that were asked to end in another one.
    pub async fn heed(&self, own: Fence) -> Result<()> {
        if self.ports.gateway.calls_in_flight() > 0 {
            self.ports.runs.list_canceling(own).await?.into_iter().for_each(|id| self.ports.gateway.cut(id));
        }
        Ok(())
    }

    /// A run that is not over and that the caller may do this to.
    async fn controlled(&self, ctx: &OpContext, action: &'static str, id: RunId) -> Result<Run> {
        let run = self.find_run(ctx, id).await?;
        match owner(&run) {
            Some(owner) => guard::authorize_own(ctx, action, owner)?,
            None => guard::authorize(ctx, action)?,
        }
        if run.status.is_final() {
            return Err(Refusal::State { what: "run", present: run.status.to_string() }.into());
        }
        Ok(run)
    }

    async fn find_run(&self, ctx: &OpContext, id: RunId) -> Result<Run> {
        guard::authorize(ctx, "run.read")?;
        self.ports.runs.find_run(ctx.scope, id).await?.ok_or_else(Error::not_found)
    }

    /// The wish.
    fn canceling(&self, ctx: &OpContext, run_id: RunId) -> Batch {
        let audit = Audit::done(ctx, &*self.ports.ids, "run.canceling", "run.cancel", ("run", run_id));
        Batch::opening(ctx.scope, Durability::Power).under_epoch(ctx.auth_epoch).with([
            Op::RunMove { run_id, to: RunStatus::Canceling, end: None },
            self.event(run_id, "run.canceling", json!({ "by": ctx.caller() })),
            Audit { run_id: Some(run_id), ..audit }.into(),
        ])
    }

    /// The end of a run that waits, with that of what stands open in it.
    async fn canceled(&self, ctx: &OpContext, run_id: RunId) -> Result<Batch> {
        let ids = &*self.ports.ids;
        let now = self.ports.clock.now();
        let failure = Failure {
            code: EndReason::RunCanceled.to_string(),
            message: "somebody canceled it before it was complete".to_owned(),
            step_id: None,
        };
        let steps = self.ports.runs.list_steps(ctx.scope, run_id).await?;
        let open = steps.into_iter().filter(|step| !step.status.is_closed());
        let mut ops: Vec<Op> = open
            .map(|step| {
                Op::StepClose(Arc::new(StepEnd {
                    step_id: step.id,
                    status: StepStatus::Canceled,
                    ended_at: now,
                    error: Some(failure.clone()),
                    input_artifact: step.input.artifact_id,
                    output: Content::default(),
                    metrics: step.metrics,
                    ttft_ms: None,
                }))
            })
            .collect();
        let status = RunStatus::Canceled;
        let finished = json!({ "status": status, "code": failure.code, "by": ctx.caller() });
        let told = json!({ "run_id": run_id, "status": status });
        let audit = Audit::done(ctx, ids, "run.canceled", "run.cancel", ("run", run_id));
        let end = RunEnd {
            ended_at: now,
            error: Some(failure),
            input_artifact: None,
            output: Content::default(),
            delivered: None,
            flags: Vec::new(),
        };
        ops.extend([
            Op::RunMove { run_id, to: status, end: Some(Arc::new(end)) },
            self.event(run_id, "run.finished", finished),
            Event::new(ids, "run.finished", run_id, told, now).into(),
            Audit { run_id: Some(run_id), ..audit }.into(),
        ]);
        Ok(Batch::closing(ctx.scope).under_epoch(ctx.auth_epoch).with(ops))
    }

    fn event(&self, run_id: RunId, event_type: &'static str, payload: Value) -> Op {
        let occurred_at = self.ports.clock.now();
        Op::RunEventAppend(Arc::new(NewRunEvent { run_id, event_type, step_id: None, payload, occurred_at }))
    }
}

/// Whether nobody is at work on a run in this state.
const fn waits(status: RunStatus) -> bool {
    matches!(status, RunStatus::Queued | RunStatus::WaitingInput | RunStatus::WaitingApproval | RunStatus::Paused)
}

/// Whose a run is: of a person, or of a service principal and its owner.
pub(crate) fn owner(run: &Run) -> Option<Owner> {
    match run.caller.kind {
        CallerKind::User => run.caller.id.parse().ok().map(|id: UserId| id.into()),
        CallerKind::ServicePrincipal => {
            let user_id = run.user_id?;
            run.caller.id.parse().ok().map(|id| Owner { user_id, principal_id: Some(id) })
        }
        CallerKind::Schedule | CallerKind::Trigger | CallerKind::System => None,
    }
}

/// The states before the end that pass a filter of states.
fn open(wanted: &[Term<RunStatus>]) -> Vec<Term<RunStatus>> {
    let passes = |status: &RunStatus| !status.is_final() && Term::pass(wanted, |term| term == status);
    RunStatus::ALL.iter().copied().filter(passes).map(Term::Is).collect()
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}
