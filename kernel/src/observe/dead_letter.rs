//! What was given up: looking at it, having it tried again, letting it go.
//!
//! Each decision is one batch with its audit row. The store moves a delivery only if it is as dead as it was seen, so two
//! people who decide at once do no harm.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use types::outbox::{
    DeadLetter, DeadLetterFilter, DeadLetterKind, DeadLetterQuery, DeliveryId, RedriveOutcome, RedrivenLetter,
};
use types::page::Page;
use types::problem::Code;

use super::Observe;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, Op, Resolution, Verdict};
use crate::policy::guard;
use crate::port::FoundDelivery;

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
        self.dead(ctx, query).await
    }

    /// Has one dead letter tried again. One that is not dead any more is left as it is.
    pub async fn redrive_dead_letter(&self, ctx: &OpContext, kind: DeadLetterKind, id: &str) -> Result<RedrivenLetter> {
        guard::authorize(ctx, "dead_letter.redrive")?;
        let outcome = match (kind, id.parse()) {
            (DeadLetterKind::Outbox, Ok(delivery)) => self.redrive(ctx, &[delivery]).await?.pop(),
            (DeadLetterKind::Outbox, Err(_)) => None,
            _ => Some((id.to_owned(), RedriveOutcome::Unsupported)),
        };
        match outcome {
            None | Some((_, RedriveOutcome::NotFound)) => Err(Error::not_found()),
            Some((id, outcome)) => Ok(RedrivenLetter { kind, id, outcome }),
        }
    }

    /// Has up to 1,000 of the dead letters that match tried again; what became of each.
    pub async fn redrive_dead_letters(
        &self,
        ctx: &OpContext,
        filter: DeadLetterFilter,
    ) -> Result<Page<RedrivenLetter>> {
        guard::authorize(ctx, "dead_letter.redrive")?;
        let query = DeadLetterQuery { filter, limit: MOST_REDRIVEN, cursor: None };
        let letters = self.dead(ctx, &query).await?.items;
        let ids: Vec<DeliveryId> = letters.iter().filter_map(|letter| letter.id.parse().ok()).collect();
        let outcomes = self.redrive(ctx, &ids).await?;
        let kind = DeadLetterKind::Outbox;
        let redriven = outcomes.into_iter().map(|(id, outcome)| RedrivenLetter { kind, id, outcome });
        Ok(redriven.collect::<Vec<_>>().into())
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
        let delivery: DeliveryId = match (kind, id.parse()) {
            (DeadLetterKind::Outbox, Ok(delivery)) => delivery,
            _ => return Err(Error::not_found()),
        };
        let found = self.ports.outbox.find_deliveries(ctx.scope, std::slice::from_ref(&delivery)).await?;
        let found = found.into_iter().next().ok_or_else(Error::not_found)?;
        if !found.is_dead {
            return Err(Error::new(Code::InvalidTransition, "it is not dead, only what was given up is discarded"));
        }
        let verdict = Verdict::Discard(reason.to_owned());
        self.resolve(ctx, vec![(found, verdict, json!({ "reason": reason }))]).await
    }

    async fn dead(&self, ctx: &OpContext, query: &DeadLetterQuery) -> Result<Page<DeadLetter>> {
        // Nothing of another kind can be given up yet.
        if query.filter.kind.is_some_and(|kind| kind != DeadLetterKind::Outbox) {
            return Ok(Vec::new().into());
        }
        Ok(self.ports.outbox.list_dead(ctx.scope, query).await?)
    }

    /// What became of each, in the order of the ids.
    async fn redrive(&self, ctx: &OpContext, ids: &[DeliveryId]) -> Result<Vec<(String, RedriveOutcome)>> {
        let found = self.ports.outbox.find_deliveries(ctx.scope, ids).await?;
        let known: BTreeSet<DeliveryId> = found.iter().map(|found| found.id.clone()).collect();
        let mut dead: Vec<FoundDelivery> = found.into_iter().filter(|found| found.is_dead).collect();
        // Rows are locked in one order everywhere.
        dead.sort_by(|one, other| one.id.cmp(&other.id));
        let redriven: BTreeSet<DeliveryId> = dead.iter().map(|found| found.id.clone()).collect();
        for part in dead.chunks(A_BATCH) {
            let part = part.iter().map(|found| (found.clone(), Verdict::Redrive, Value::Null));
            self.resolve(ctx, part.collect()).await?;
        }
        let outcome = |id: &DeliveryId| match (redriven.contains(id), known.contains(id)) {
            (true, _) => RedriveOutcome::Redriven,
            (false, true) => RedriveOutcome::NotDead,
            (false, false) => RedriveOutcome::NotFound,
        };
        Ok(ids.iter().map(|id| (id.to_string(), outcome(id))).collect())
    }

    /// Decides about dead deliveries, with an audit row for each.
    async fn resolve(&self, ctx: &OpContext, decided: Vec<(FoundDelivery, Verdict, Value)>) -> Result<()> {
        let mut batch = Batch::opening(ctx.scope, Durability::Power);
        for (FoundDelivery { id, epoch, .. }, verdict, payload) in decided {
            let (event_type, operation) = match verdict {
                Verdict::Redrive => ("dead_letter.redriven", "dead_letter.redrive"),
                Verdict::Discard(_) => ("dead_letter.discarded", "dead_letter.discard"),
            };
            let audit = Audit::done(ctx, &*self.ports.ids, event_type, operation, ("dead_letter", &id));
            batch.push(audit.with_payload(payload).into());
            batch.push(Op::DeliveryResolve(Arc::new(Resolution { delivery: id, epoch, verdict })));
        }
        self.ports.ledger.commit(batch).await?;
        Ok(())
    }
}
