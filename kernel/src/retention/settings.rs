//! Saying how long what is kept, and reading what purges did.

use std::sync::Arc;

use serde_json::json;
use types::id::RetentionReportId;
use types::page::{Page, PageQuery};
use types::problem::Code;
use types::retention::{self, KeptFor, RetentionReport};

use super::rules::{check, effective};
use crate::check::{Checks, same_version};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::gateway::Access;
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard;
use crate::port::{Ids, KeptRules, Ledger, Retentions};
use crate::record::{self, Row};

/// How often a change is decided before the caller is asked to come again.
const ATTEMPTS: usize = 5;
/// Reports of a page.
const DEFAULT: u32 = 50;
/// Most of them.
const MOST: u32 = 200;

/// What retention needs from the world.
pub struct Ports {
    /// Deciding anew who asks.
    pub access: Arc<dyn Access>,
    /// Reading it.
    pub retentions: Arc<dyn Retentions>,
    /// Writing.
    pub ledger: Arc<dyn Ledger>,
    /// Ids of what is made.
    pub ids: Arc<dyn Ids>,
}

/// How long a workspace keeps what, and its legal holds.
pub struct Retention {
    pub(super) ports: Ports,
}

impl std::fmt::Debug for Retention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retention").finish_non_exhaustive()
    }
}

impl Retention {
    /// The use cases on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }

    /// How long the workspace keeps what.
    pub async fn find_retention(&self, ctx: &OpContext) -> Result<retention::Retention> {
        guard::authorize(ctx, "retention.read")?;
        Ok(shown(&self.rules(ctx).await?))
    }

    /// Says how long the workspace keeps what. What is over by that goes with the next purge.
    pub async fn update_retention(
        &self,
        ctx: &OpContext,
        expected: Option<u64>,
        command: &KeptFor,
    ) -> Result<retention::Retention> {
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            guard::authorize(&ctx, "retention.update")?;
            let rules = self.rules(&ctx).await?;
            check(command, &rules.bounds)?;
            let before = rules.set.as_ref();
            same_version(expected, before.map_or(0, |before| before.version))?;
            if before.is_some_and(|before| before.kept_for == *command) {
                return Ok(shown(&rules));
            }
            let set = record::Retention {
                scope: ctx.scope,
                kept_for: *command,
                updated_at: ctx.now,
                version: before.map_or(0, |before| before.version) + 1,
            };
            let old = before.map(|before| before.kept_for).unwrap_or_default();
            let workspace = ("workspace", ctx.scope.workspace_id);
            let audit = Audit::done(&ctx, &*self.ports.ids, "retention.updated", "retention.update", workspace)
                .with_payload(json!({ "before": old, "after": command }));
            let ops = [Op::RowPut(Arc::new(Row::Retention(set.clone()))), audit.into()];
            if self.commit(&mut ctx, ops).await? {
                return Ok(shown(&KeptRules { set: Some(set), bounds: rules.bounds }));
            }
        }
        Err(busy())
    }

    /// What purges of the workspace did, the newest first.
    pub async fn list_retention_reports(&self, ctx: &OpContext, query: &PageQuery) -> Result<Page<RetentionReport>> {
        guard::authorize(ctx, "retention.read")?;
        let mut checks = Checks::default();
        checks.within(query.limit, 1, MOST, "limit");
        checks.done()?;
        let wrong =
            |_| Error::new(Code::InvalidCursor, "the cursor was altered or belongs to another list; start without one");
        let before: Option<RetentionReportId> =
            query.cursor.as_deref().map(|cursor| cursor.parse().map_err(wrong)).transpose()?;
        let limit = query.limit.unwrap_or(DEFAULT);
        let mut found = self.ports.retentions.list_retention_reports(ctx.scope, before, limit + 1).await?;
        let has_more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let next_cursor = found.last().filter(|_| has_more).map(|last| last.id.to_string());
        let items = found.into_iter().map(|report| RetentionReport {
            id: report.id,
            started_at: report.started_at,
            finished_at: report.finished_at,
            purged: report.purged,
        });
        Ok(Page { items: items.collect(), next_cursor })
    }

    async fn rules(&self, ctx: &OpContext) -> Result<KeptRules> {
        self.ports.retentions.find_retention(ctx.scope).await?.ok_or_else(Error::not_found)
    }

    /// Commits; false where a row or the caller's rights moved meanwhile: the caller is who they are now, decide anew.
    pub(super) async fn commit(&self, ctx: &mut OpContext, ops: impl IntoIterator<Item = Op>) -> Result<bool> {
        let batch = Batch::opening(ctx.scope, Durability::Power).with(ops);
        let batch = if ctx.token.is_some() { batch.under_epoch(ctx.auth_epoch) } else { batch };
        match self.ports.ledger.commit(batch).await {
            Ok(_) => Ok(true),
            Err(LedgerError::Refused(Refusal::AuthEpoch { .. })) => {
                *ctx = self.ports.access.reauthenticate(ctx).await?;
                Ok(false)
            }
            Err(LedgerError::Refused(Refusal::Version { .. })) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The refusal of who was overtaken again and again.
pub(super) fn busy() -> Error {
    Error::new(Code::Busy, "others change this workspace at the same time, try again").with_retry_after(1)
}

fn shown(rules: &KeptRules) -> retention::Retention {
    let set = rules.set.as_ref().map(|set| set.kept_for).unwrap_or_default();
    let KeptFor { content, runs, costs, audit, events } = set;
    retention::Retention {
        content,
        runs,
        costs,
        audit,
        events,
        effective: effective(&set, &rules.bounds),
        bounds: rules.bounds.clone(),
        version: rules.set.as_ref().map_or(0, |set| set.version),
    }
}
