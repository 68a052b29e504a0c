//! What was given up: looking at it, having it tried again, letting it go.
//!
//! Each decision is one batch with its audit row. The store moves a delivery only if it is as dead as it was seen, so two
//! people who decide at once do no harm.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::join_all;
use serde_json::json;
use types::id::TaskId;
use types::outbox::{
    DeadLetter, DeadLetterFilter, DeadLetterKind, DeadLetterQuery, DeliveryId, RedriveOutcome, RedrivenLetter,
};
use types::page::Page;
use types::problem::Code;
use types::task::{Task, TaskStatus};

use super::Observe;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, Op, Resolution, TaskOp, Verdict};
use crate::policy::guard;
use crate::port::FoundDelivery;
use crate::task;

/// Most dead letters that one command has tried again.
const MOST_REDRIVEN: u32 = 1_000;
/// Most of them in one batch: two operations each.
const A_BATCH: usize = 250;

impl Observe {
    /// One page of what was given up, last given up first.
    pub async fn list_dead_letters(&self, ctx: &OpContext, query: &DeadLetterQuery) -> Result<Page<DeadLetter>> {
        guard::authorize(ctx, "dead_letter.list")?;
        let mut checks = Checks::default();
        checks.within(Some(query.limit), 1, 200, "limit");
        checks.done()?;
        Ok(self.ports.outbox.list_dead(ctx.scope, query).await?)
    }

    /// Has one dead letter tried again. One that is not dead any more is left as it is.
    pub async fn redrive_dead_letter(&self, ctx: &OpContext, kind: DeadLetterKind, id: &str) -> Result<RedrivenLetter> {
        guard::authorize(ctx, "dead_letter.redrive")?;
        let outcome = match self.redrive(ctx, kind, &[id.to_owned()]).await?.pop() {
            None | Some(RedriveOutcome::NotFound) => return Err(Error::not_found()),
            Some(outcome) => outcome,
        };
        Ok(RedrivenLetter { kind, id: id.to_owned(), outcome })
    }

    /// Has up to 1,000 of the dead letters that match tried again; what became of each.
    pub async fn redrive_dead_letters(
        &self,
        ctx: &OpContext,
        filter: DeadLetterFilter,
    ) -> Result<Page<RedrivenLetter>> {
        guard::authorize(ctx, "dead_letter.redrive")?;
        let query = DeadLetterQuery { filter, limit: MOST_REDRIVEN, cursor: None };
        let letters = self.ports.outbox.list_dead(ctx.scope, &query).await?.items;
        let mut redriven = Vec::with_capacity(letters.len());
        for kind in [DeadLetterKind::Outbox, DeadLetterKind::Task] {
            let of_kind = letters.iter().filter(|letter| letter.kind == kind);
            let ids: Vec<String> = of_kind.map(|letter| letter.id.clone()).collect();
            let outcomes = self.redrive(ctx, kind, &ids).await?;
            let told = ids.into_iter().zip(outcomes).map(|(id, outcome)| RedrivenLetter { kind, id, outcome });
            redriven.extend(told);
        }
        Ok(redriven.into())
    }

    /// Lets a dead letter go, for a reason.
    pub async fn discard_dead_letter(
        &self,
        ctx: &OpContext,
        kind: DeadLetterKind,
        id: &str,
        reason: &str,
    ) -> Result<()> {
        guard::authorize(ctx, "dead_letter.discard")?;
        let mut checks = Checks::default();
        checks.text(reason, 1, 500, "reason");
        checks.done()?;
        let (is_dead, op) = match kind {
            DeadLetterKind::Outbox => {
                let delivery: DeliveryId = id.parse().map_err(|_| Error::not_found())?;
                let found = self.ports.outbox.find_deliveries(ctx.scope, std::slice::from_ref(&delivery)).await?;
                let found = found.into_iter().next().ok_or_else(Error::not_found)?;
                (found.is_dead, resolving(found, Verdict::Discard(reason.to_owned())))
            }
            DeadLetterKind::Task => {
                let task_id: TaskId = id.parse().map_err(|_| Error::not_found())?;
                let task = self.ports.tasks.find_task(ctx.scope, task_id).await?.ok_or_else(Error::not_found)?;
                (is_given_up(&task), Op::Task(TaskOp::Discard { task_id, reason: reason.to_owned() }))
            }
            DeadLetterKind::Ingest | DeadLetterKind::Sync | DeadLetterKind::InDoubt => return Err(Error::not_found()),
        };
        if !is_dead {
            return Err(Error::new(Code::InvalidTransition, "it is not dead, only what was given up is discarded"));
        }
        let names = ("dead_letter.discarded", "dead_letter.discard");
        let audit = Audit::done(ctx, &*self.ports.ids, names.0, names.1, ("dead_letter", id));
        let ops = [audit.with_payload(json!({ "reason": reason })).into(), op];
        self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with(ops)).await?;
        Ok(())
    }

    /// What became of each, in the order of the ids.
    async fn redrive(&self, ctx: &OpContext, kind: DeadLetterKind, ids: &[String]) -> Result<Vec<RedriveOutcome>> {
        match kind {
            DeadLetterKind::Outbox => self.redrive_deliveries(ctx, ids).await,
            DeadLetterKind::Task => self.redrive_tasks(ctx, ids).await,
            _ => Ok(vec![RedriveOutcome::Unsupported; ids.len()]),
        }
    }

    async fn redrive_deliveries(&self, ctx: &OpContext, ids: &[String]) -> Result<Vec<RedriveOutcome>> {
        let named: Vec<DeliveryId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
        let found = self.ports.outbox.find_deliveries(ctx.scope, &named).await?;
        let known: BTreeSet<String> = found.iter().map(|found| found.id.to_string()).collect();
        let mut dead: Vec<FoundDelivery> = found.into_iter().filter(|found| found.is_dead).collect();
        // Rows are locked in one order everywhere.
        dead.sort_by(|one, other| one.id.cmp(&other.id));
        let redriven: BTreeSet<String> = dead.iter().map(|found| found.id.to_string()).collect();
        for part in dead.chunks(A_BATCH) {
            let decided =
                part.iter().map(|found| (found.id.to_string(), vec![resolving(found.clone(), Verdict::Redrive)]));
            self.redrive_with(ctx, decided).await?;
        }
        let outcome = |id: &String| match (redriven.contains(id), known.contains(id)) {
            (true, _) => RedriveOutcome::Redriven,
            (false, true) => RedriveOutcome::NotDead,
            (false, false) => RedriveOutcome::NotFound,
        };
        Ok(ids.iter().map(outcome).collect())
    }

    /// One batch a task: of one that somebody else decided about at this moment the others are not refused.
    async fn redrive_tasks(&self, ctx: &OpContext, ids: &[String]) -> Result<Vec<RedriveOutcome>> {
        let named: Vec<TaskId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
        let found = self.ports.tasks.find_tasks(ctx.scope, &named).await?;
        let found: BTreeMap<String, Task> = found.into_iter().map(|task| (task.id.to_string(), task)).collect();
        let found = &found;
        let outcomes = join_all(ids.iter().map(|id| async move {
            let outcome = match found.get(id) {
                None => RedriveOutcome::NotFound,
                Some(task) if !is_given_up(task) => RedriveOutcome::NotDead,
                Some(task) if !task::is_known(&task.task_type) => RedriveOutcome::Unsupported,
                Some(task) => {
                    let ops = task::redriving(ctx, &*self.ports.ids, task).to_vec();
                    match self.redrive_with(ctx, [(id.clone(), ops)]).await {
                        Ok(()) => RedriveOutcome::Redriven,
                        Err(error) if error.code() == Code::InvalidTransition => RedriveOutcome::NotDead,
                        Err(error) => return Err(error),
                    }
                }
            };
            Ok::<_, Error>(outcome)
        }));
        outcomes.await.into_iter().collect()
    }

    /// Writes what has dead letters tried again, with an audit row for each.
    async fn redrive_with(&self, ctx: &OpContext, decided: impl IntoIterator<Item = (String, Vec<Op>)>) -> Result<()> {
        let mut batch = Batch::opening(ctx.scope, Durability::Power);
        for (id, ops) in decided {
            let names = ("dead_letter.redriven", "dead_letter.redrive");
            let audit = Audit::done(ctx, &*self.ports.ids, names.0, names.1, ("dead_letter", id));
            batch.push(audit.into());
            batch = batch.with(ops);
        }
        self.ports.ledger.commit(batch).await?;
        Ok(())
    }
}

fn resolving(found: FoundDelivery, verdict: Verdict) -> Op {
    Op::DeliveryResolve(Arc::new(Resolution { delivery: found.id, epoch: found.epoch, verdict }))
}

/// Given up, and not let go.
fn is_given_up(task: &Task) -> bool {
    task.status == TaskStatus::Failed && task.discard_reason.is_none()
}
