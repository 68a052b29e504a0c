//! Handing out every record that matches, page by page, so that it takes no more memory than one page, and on the record:
//! that it began, and how much left of it, also when it was cut.

use std::future::ready;

use chrono::{DateTime, TimeDelta, Utc};
use futures::stream::{BoxStream, StreamExt, TryStreamExt, iter, try_unfold};
use serde_json::{Value, json};
use types::audit::AuditFilter;
use types::export::RecordType;
use types::id::RunId;
use types::run::{RunFilter, RunQuery, RunSort};

use super::Observe;
use super::journal::{Journal, What};
use super::reading::check;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::guard;
use crate::port::{LastRecord, Place, Record, RecordQuery, Records};

/// Records read at once.
const PAGE: u32 = 200;
/// What is written later than this after it began may be missed by who reads sooner.
const SETTLED: TimeDelta = TimeDelta::seconds(10);
/// Why a moment is refused.
const TOO_LATE: &str = "must lie 10 seconds back or more, for records that are written late";

/// Records on their way out, and the record of it.
pub struct Export {
    /// What they are.
    pub record_type: RecordType,
    /// The records.
    pub records: BoxStream<'static, Result<Record>>,
    /// What became of them: told of every byte, and of the end.
    pub journal: Journal,
}

/// Which records of a time go out, and where to go on.
#[derive(Clone, Debug)]
pub struct Window {
    /// Written at or after.
    pub since: Option<DateTime<Utc>>,
    /// Written before; at most 10 seconds ago, which is also the default.
    pub until: Option<DateTime<Utc>>,
    /// The last record there is already.
    pub after: Option<String>,
}

impl Observe {
    /// Every run that matches, in the order asked for.
    pub async fn export_runs(&self, ctx: &OpContext, query: RunQuery) -> Result<Export> {
        guard::authorize(ctx, "export.runs")?;
        let first = RunQuery { limit: PAGE, cursor: None, ..query };
        check(&first)?;
        let what = What { record_type: RecordType::Runs, told: json!({ "filter": first.filter, "after": null }) };
        let journal = self.begin(ctx, what).await?;
        let records = journal.cover(self.run_pages(ctx, first));
        Ok(Export { record_type: RecordType::Runs, records, journal })
    }

    /// Every run that matches, oldest first, those behind `after` only: who goes on from the last one misses none.
    pub async fn export_runs_on(&self, ctx: &OpContext, mut filter: RunFilter, after: Option<RunId>) -> Result<Export> {
        guard::authorize(ctx, "export.runs")?;
        let since = filter.started_from;
        filter.started_to = Some(settled(ctx, since, filter.started_to)?);
        let query = RunQuery { filter, sort: RunSort::StartedAt, descending: false, limit: PAGE, cursor: None };
        check(&query)?;
        let last = match after {
            Some(id) => Some(self.find_last(ctx, id).await?),
            None => None,
        };
        let what = What { record_type: RecordType::Runs, told: json!({ "filter": query.filter, "after": after }) };
        let journal = self.begin(ctx, what).await?;
        let started_from = since.max(last.map(|(started_at, _)| started_at));
        let records = self.run_pages(ctx, RunQuery { filter: RunFilter { started_from, ..query.filter }, ..query });
        let records = records.try_skip_while(move |run| ready(Ok(last >= place_of(run))));
        let records = journal.cover(records.boxed());
        Ok(Export { record_type: RecordType::Runs, records, journal })
    }

    /// Every record that matches, oldest first, of whatever time.
    pub async fn export_records(&self, ctx: &OpContext, records: Records) -> Result<Export> {
        guard::authorize(ctx, &format!("export.{}", records.record_type()))?;
        self.export(ctx, RecordQuery { records, since: None, until: None, after: None, limit: PAGE }, None).await
    }

    /// Every record of a window, oldest first, those behind `after` only: who goes on from the last one misses none.
    pub async fn export_records_on(&self, ctx: &OpContext, records: Records, window: Window) -> Result<Export> {
        guard::authorize(ctx, &format!("export.{}", records.record_type()))?;
        self.export_window(ctx, records, window).await
    }

    /// What was done in a tenant as a whole in a window, oldest first; what is done in its workspaces is theirs.
    pub async fn export_tenant_audit(&self, ctx: &OpContext, window: Window) -> Result<Export> {
        guard::authorize(ctx, "tenant_audit.export")?;
        self.export_window(ctx, Records::Audit(AuditFilter::default()), window).await
    }

    async fn export_window(&self, ctx: &OpContext, records: Records, window: Window) -> Result<Export> {
        let Window { since, until, after } = window;
        let until = settled(ctx, since, until)?;
        let place = match &after {
            Some(text) => Some(self.find_place(ctx, records.record_type(), text).await?),
            None => None,
        };
        self.export(ctx, RecordQuery { records, since, until: Some(until), after: place, limit: PAGE }, after).await
    }

    async fn export(&self, ctx: &OpContext, first: RecordQuery, after: Option<String>) -> Result<Export> {
        let record_type = first.records.record_type();
        let mut checks = Checks::default();
        let filter = match &first.records {
            Records::Audit(filter) => {
                counted(&mut checks, &filter.counts());
                json!(filter)
            }
            Records::Events(filter) => {
                counted(&mut checks, &filter.counts());
                json!(filter)
            }
            Records::Steps | Records::Costs | Records::Tasks | Records::RunEvents | Records::Artifacts => Value::Null,
        };
        checks.done()?;
        let told = json!({ "filter": filter, "since": first.since, "until": first.until, "after": after });
        let journal = self.begin(ctx, What { record_type, told }).await?;
        let records = journal.cover(self.record_pages(ctx, first));
        Ok(Export { record_type, records, journal })
    }

    async fn find_last(&self, ctx: &OpContext, id: RunId) -> Result<(DateTime<Utc>, RunId)> {
        let run = self.ports.runs.find_run(ctx.scope, id).await?;
        let run = run.ok_or_else(|| Error::invalid("after", "names no run here: name the last one you have"))?;
        Ok((run.started_at, run.id))
    }

    async fn find_place(&self, ctx: &OpContext, of: RecordType, text: &str) -> Result<Place> {
        let place = match last_record(of, text) {
            Some(last) => self.ports.exports.find_place(ctx.scope, last).await?,
            None => None,
        };
        place.ok_or_else(|| {
            let form = match of {
                RecordType::RunEvents => ", as its run and its offset: `run_01j….7`",
                _ => ", by its id",
            };
            Error::invalid("after", format!("names no {} here: name the last one you have{form}", of.one()))
        })
    }

    fn run_pages(&self, ctx: &OpContext, first: RunQuery) -> BoxStream<'static, Result<Record>> {
        let (exports, scope) = (self.ports.exports.clone(), ctx.scope);
        let pages = try_unfold(Some(first), move |query| {
            let exports = exports.clone();
            async move {
                let Some(query) = query else { return Ok(None) };
                let page = exports.list_run_records(scope, &query).await?;
                let next = page.next_cursor.map(|cursor| RunQuery { cursor: Some(cursor), ..query });
                Ok::<_, Error>(Some((iter(page.items.into_iter().map(Ok)), next)))
            }
        });
        pages.try_flatten().boxed()
    }

    fn record_pages(&self, ctx: &OpContext, first: RecordQuery) -> BoxStream<'static, Result<Record>> {
        let (exports, scope) = (self.ports.exports.clone(), ctx.scope);
        let pages = try_unfold(Some(first), move |query| {
            let exports = exports.clone();
            async move {
                let Some(query) = query else { return Ok(None) };
                let page = exports.list_records(scope, &query).await?;
                let last = page.last().filter(|_| page.len() >= query.limit as usize).map(|last| last.place);
                let next = last.map(|place| RecordQuery { after: Some(place), ..query });
                Ok::<_, Error>(Some((iter(page.into_iter().map(|placed| Ok(placed.record))), next)))
            }
        });
        pages.try_flatten().boxed()
    }
}

/// The end of a window, far enough back and behind its start.
fn settled(ctx: &OpContext, since: Option<DateTime<Utc>>, until: Option<DateTime<Utc>>) -> Result<DateTime<Utc>> {
    let settled = ctx.now - SETTLED;
    let until = until.unwrap_or(settled);
    let mut checks = Checks::default();
    checks.require(until <= settled, "until", TOO_LATE);
    checks.require(since.is_none_or(|since| since < until), "until", "must be after `since`");
    checks.done()?;
    Ok(until)
}

fn counted(checks: &mut Checks, counts: &[(&'static str, usize)]) {
    for (name, count) in counts {
        let most = RunFilter::MOST_VALUES;
        checks.require(*count <= most, *name, format!("takes at most {most} values, ask in parts"));
    }
}

/// Where a run stands in the order of their start.
fn place_of(run: &Record) -> Option<(DateTime<Utc>, RunId)> {
    let text = |name: &str| run.get(name).and_then(Value::as_str);
    Some((text("started_at")?.parse().ok()?, text("id")?.parse().ok()?))
}

fn last_record(of: RecordType, text: &str) -> Option<LastRecord> {
    match of {
        RecordType::Runs => None,
        RecordType::Steps => text.parse().map(LastRecord::Step).ok(),
        RecordType::Costs => text.parse().map(LastRecord::Cost).ok(),
        RecordType::Tasks => text.parse().map(LastRecord::Task).ok(),
        RecordType::Audit => text.parse().map(LastRecord::Audit).ok(),
        RecordType::Events => text.parse().map(LastRecord::Event).ok(),
        RecordType::Artifacts => text.parse().map(LastRecord::Artifact).ok(),
        RecordType::RunEvents => {
            let (run, offset) = text.split_once('.')?;
            Some(LastRecord::RunEvent(run.parse().ok()?, offset.parse().ok()?))
        }
    }
}
