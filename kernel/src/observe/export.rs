//! Handing out every run that matches, page by page, so that it takes no more memory than one page, and on the record:
//! that it began, and how much left of it, also when it was cut.

use std::future::ready;

use chrono::{DateTime, TimeDelta, Utc};
use futures::stream::{BoxStream, StreamExt, TryStreamExt, iter, try_unfold};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use types::id::RunId;
use types::run::{Run, RunFilter, RunQuery, RunSort};

use super::Observe;
use super::reading::check;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability};
use crate::policy::guard;

/// Runs read at once.
const PAGE: u32 = 200;
/// What is written later than this after it began may be missed by who reads sooner.
const SETTLED: TimeDelta = TimeDelta::seconds(10);
/// What is taken out, in the audit.
const RESOURCE: (&str, &str) = ("export", "runs");

/// Runs on their way out, and the record of it.
pub struct Export {
    /// The runs.
    pub runs: BoxStream<'static, Result<Run>>,
    /// What became of them: told of every byte, and of the end.
    pub record: Record,
}

/// What of an export has left so far. Dropped before the end, it records a cut one.
pub struct Record {
    observe: Observe,
    ctx: OpContext,
    what: What,
    count: u64,
    hash: Sha256,
    is_over: bool,
}

/// What an export was in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// So many runs.
    pub count: u64,
    /// SHA-256 of every byte, in hex.
    pub sha256: String,
}

/// Which runs.
#[derive(Clone, Debug, Serialize)]
struct What {
    filter: RunFilter,
    after: Option<RunId>,
}

impl Observe {
    /// Every run that matches, in the order asked for.
    pub async fn export_runs(&self, ctx: &OpContext, query: RunQuery) -> Result<Export> {
        guard::authorize(ctx, "export.runs")?;
        let first = RunQuery { limit: PAGE, cursor: None, ..query };
        check(&first)?;
        let record = self.begin(ctx, What { filter: first.filter.clone(), after: None }).await?;
        Ok(Export { runs: self.pages(ctx, first), record })
    }

    /// Every run that matches, oldest first, those behind `after` only: who goes on from the last one misses none.
    pub async fn export_runs_on(&self, ctx: &OpContext, mut filter: RunFilter, after: Option<RunId>) -> Result<Export> {
        guard::authorize(ctx, "export.runs")?;
        let (settled, since) = (ctx.now - SETTLED, filter.started_from);
        let until = *filter.started_to.get_or_insert(settled);
        let mut checks = Checks::default();
        checks.require(until <= settled, "until", "must lie 10 seconds back or more, for runs that are written late");
        checks.require(since.is_none_or(|since| since < until), "until", "must be after `since`");
        checks.done()?;
        let query = RunQuery { filter, sort: RunSort::StartedAt, descending: false, limit: PAGE, cursor: None };
        check(&query)?;
        let last = match after {
            Some(id) => Some(self.find_last(ctx, id).await?),
            None => None,
        };
        let record = self.begin(ctx, What { filter: query.filter.clone(), after }).await?;
        let started_from = since.max(last.map(|(started_at, _)| started_at));
        let runs = self.pages(ctx, RunQuery { filter: RunFilter { started_from, ..query.filter }, ..query });
        let runs = runs.try_skip_while(move |run| ready(Ok(last >= Some((run.started_at, run.id)))));
        Ok(Export { runs: runs.boxed(), record })
    }

    async fn find_last(&self, ctx: &OpContext, id: RunId) -> Result<(DateTime<Utc>, RunId)> {
        let run = self.ports.runs.find_run(ctx.scope, id).await?;
        let run = run.ok_or_else(|| Error::invalid("after", "names no run here: name the last one you have"))?;
        Ok((run.started_at, run.id))
    }

    fn pages(&self, ctx: &OpContext, first: RunQuery) -> BoxStream<'static, Result<Run>> {
        let (runs, scope) = (self.ports.runs.clone(), ctx.scope);
        let pages = try_unfold(Some(first), move |query| {
            let runs = runs.clone();
            async move {
                let Some(query) = query else { return Ok(None) };
                let page = runs.list_runs(scope, &query).await?;
                let next = page.next_cursor.map(|cursor| RunQuery { cursor: Some(cursor), ..query });
                Ok::<_, Error>(Some((iter(page.items.into_iter().map(Ok)), next)))
            }
        });
        pages.try_flatten().boxed()
    }

    /// Whoever takes something out is on the record before the first of it leaves.
    async fn begin(&self, ctx: &OpContext, what: What) -> Result<Record> {
        let audit = Audit::done(ctx, &*self.ports.ids, "ledger.export_started", "export.runs", RESOURCE);
        self.append(ctx, audit.with_payload(json!(what))).await?;
        Ok(Record { observe: self.clone(), ctx: ctx.clone(), what, count: 0, hash: Sha256::new(), is_over: false })
    }

    async fn append(&self, ctx: &OpContext, audit: Audit) -> Result<()> {
        self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with([audit.into()])).await?;
        Ok(())
    }
}

impl Record {
    /// So many bytes more, with so many runs in them, are about to leave.
    pub fn note(&mut self, bytes: &[u8], runs: u64) {
        self.hash.update(bytes);
        self.count += runs;
    }

    /// Everything has left: recorded before anybody is told so.
    pub async fn finish(mut self) -> Result<Receipt> {
        self.is_over = true;
        let receipt = self.receipt();
        self.observe.append(&self.ctx, self.end(&receipt, true)).await?;
        Ok(receipt)
    }

    fn end(&self, Receipt { count, sha256 }: &Receipt, complete: bool) -> Audit {
        let What { filter, after } = &self.what;
        let payload =
            json!({ "filter": filter, "after": after, "count": count, "sha256": sha256, "complete": complete });
        let ports = &self.observe.ports;
        let audit = Audit::done(&self.ctx, &*ports.ids, "ledger.exported", "export.runs", RESOURCE);
        Audit { occurred_at: ports.clock.now(), ..audit.with_payload(payload) }
    }

    fn receipt(&self) -> Receipt {
        let sha256 = self.hash.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Receipt { count: self.count, sha256 }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (observe, ctx, audit) = (self.observe.clone(), self.ctx.clone(), self.end(&self.receipt(), false));
        self.observe.ports.spawner.spawn(Box::pin(async move {
            if let Err(error) = observe.append(&ctx, audit).await {
                tracing::error!(%error, "that an export was cut could not be recorded");
            }
        }));
    }
}
