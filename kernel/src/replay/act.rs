//! Replaying a run: who may, whether it can be, and the order for whoever runs its mode.

use std::sync::Arc;

use serde::Serialize;
use types::id::RunId;
use types::problem::Code;
use types::replay::{ForkRun, ReplayKind, ReplayTools, Replayed, RerunRun, RunVersion};
use types::run::{Mode, Run};

use super::order::{Change, Order};
use super::{Recorded, Replays, Runner};
use crate::context::OpContext;
use crate::control::owner;
use crate::error::{Error, Result};
use crate::policy::guard;

impl Replays {
    /// Does a run again: a new run with all its effects, through every gate, at the expense of who asks.
    pub async fn rerun_run(&self, ctx: &OpContext, id: RunId, command: &RerunRun) -> Result<Replayed> {
        let source = self.readable(ctx, id).await?;
        match owner(&source) {
            Some(owner) => guard::authorize_own(ctx, "run.retry", owner)?,
            None => guard::authorize(ctx, "run.retry")?,
        }
        let runner = self.runner(&source)?;
        if command.version == Some(RunVersion::Published) && source.mode == Mode::Gateway {
            let detail = "a call of the gateway has no published version, leave `version` out or send `same`";
            return Err(Error::new(Code::NotSupported, detail).with_field("version", "must be `same` for this run"));
        }
        let recorded = self.recorded(ctx.scope, source).await?;
        let mut order = self.order(ctx, &recorded.run, ReplayKind::Rerun, command)?;
        order.change.input.clone_from(&command.input);
        self.start(ctx, runner, recorded, order).await
    }

    /// Repeats a run from its record: the same version with everything it met, and nothing let out.
    pub async fn reexecute_run(&self, ctx: &OpContext, id: RunId) -> Result<Replayed> {
        let source = self.readable(ctx, id).await?;
        guard::authorize(ctx, "run.replay")?;
        let runner = self.runner(&source)?;
        let recorded = self.recorded(ctx.scope, source).await?;
        let mut order = self.order(ctx, &recorded.run, ReplayKind::Reexecute, &())?;
        order.from_seq = recorded.taken_over();
        recorded.calls_from(order.from_seq)?;
        self.start(ctx, runner, recorded, order).await
    }

    /// Goes on from a step of a run: those before it are taken from the record, later model calls are made and charged.
    pub async fn fork_run(&self, ctx: &OpContext, id: RunId, command: &ForkRun) -> Result<Replayed> {
        let source = self.readable(ctx, id).await?;
        guard::authorize(ctx, "run.replay")?;
        let runner = self.runner(&source)?;
        let recorded = self.recorded(ctx.scope, source).await?;
        let last = recorded.steps.last().map_or(0, |step| step.seq);
        if !(1..=last).contains(&command.from_seq) {
            let what = match last {
                0 => "the run has no step to go on from".to_owned(),
                _ => format!("must be a step of the run, 1 to {last}"),
            };
            return Err(Error::invalid("from_seq", what));
        }
        let order = self.order(ctx, &recorded.run, ReplayKind::Fork, command)?;
        let order = Order {
            from_seq: command.from_seq,
            tools: Some(command.tools.unwrap_or(ReplayTools::Simulated)),
            change: Change {
                model_ref: command.model_ref.clone(),
                system_prompt: command.system_prompt.clone(),
                params: command.params.clone(),
                input: command.input.clone(),
            },
            ..order
        };
        self.start(ctx, runner, recorded, order).await
    }

    /// A run that the caller may read.
    pub(super) async fn readable(&self, ctx: &OpContext, id: RunId) -> Result<Run> {
        guard::authorize(ctx, "run.read")?;
        self.ports.runs.find_run(ctx.scope, id).await?.ok_or_else(Error::not_found)
    }

    /// Who runs runs like one that is over.
    fn runner(&self, source: &Run) -> Result<Arc<dyn Runner>> {
        if !source.status.is_final() {
            let detail = format!("the run is `{}`, replay it once it is over", source.status);
            return Err(Error::new(Code::RunNotFinal, detail));
        }
        let runner = self.ports.runners.iter().find(|runner| runner.mode() == source.mode);
        runner.cloned().ok_or_else(|| {
            Error::new(Code::NotSupported, format!("a run of the mode `{}` cannot be replayed", source.mode))
        })
    }

    fn order(&self, ctx: &OpContext, source: &Run, kind: ReplayKind, command: &impl Serialize) -> Result<Order> {
        let run_id = ctx.new_id(&*self.ports.ids, "run.replay", &(source.id, kind, command))?;
        Ok(Order::of(source, run_id, kind))
    }

    /// A command that is done again finds the run that was begun.
    async fn start(
        &self,
        ctx: &OpContext,
        runner: Arc<dyn Runner>,
        recorded: Recorded,
        order: Order,
    ) -> Result<Replayed> {
        let id = order.run_id;
        if let Some(run) = self.ports.runs.find_run(ctx.scope, id).await? {
            return self.shown(ctx, run).await;
        }
        let id = runner.start(ctx.clone(), recorded, order).await?;
        let run = self.ports.runs.find_run(ctx.scope, id).await?.ok_or_else(Error::not_found)?;
        self.shown(ctx, run).await
    }

    async fn shown(&self, ctx: &OpContext, run: Run) -> Result<Replayed> {
        let replay = self.replay_of(ctx.scope, &run).await?.ok_or_else(Error::not_found)?;
        Ok(Replayed { run, replay })
    }

    /// How a run came out of another one, if it did.
    pub async fn find_replay(&self, ctx: &OpContext, run: &Run) -> Result<Option<types::replay::Replay>> {
        guard::authorize(ctx, "run.read")?;
        self.replay_of(ctx.scope, run).await
    }
}
