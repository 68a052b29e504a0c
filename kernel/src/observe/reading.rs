//! The use cases that read and end.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::try_join;
use types::cost::Cost;
use types::id::{ApiKeyId, RunId};
use types::page::Page;
use types::run::{Run, RunEvent, RunFilter, RunQuery, RunSort, Step, Term};

use crate::artifact::Library;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::gateway::{Access, is_label_key};
use crate::identity::Epochs;
use crate::names::names;
use crate::policy::guard;
use crate::port::{
    Audits, Catalog, Chains, Clock, Directory, EventRange, Exports, Ids, Ledger, Live, NamedIds, Outbox, Runs, Spawner,
    Tasks,
};

/// Up to how many runs are counted.
const COUNTED: u32 = 10_000;

/// How long before it can be read a change may have been stamped.
const STAMPED_BEFORE: TimeDelta = TimeDelta::seconds(5);
/// Most changed runs that are told one by one.
const MOST_CHANGED: u32 = 200;
/// What a page shows that was read longer ago than this is out of date.
const KEPT_OPEN: TimeDelta = TimeDelta::days(1);

/// Most runs that are told to have come out of one.
const REPLAYS: u32 = 20;

/// What observing needs from the world.
#[derive(Clone)]
pub struct Ports {
    /// Looks callers up again while they read a stream.
    pub access: Arc<dyn Access>,
    /// Epochs as this process knows them.
    pub epochs: Arc<Epochs>,
    /// Reads runs.
    pub runs: Arc<dyn Runs>,
    /// Reads events and what became of them.
    pub outbox: Arc<dyn Outbox>,
    /// Reads tasks that were given up.
    pub tasks: Arc<dyn Tasks>,
    /// Reads content that is kept whole.
    pub library: Library,
    /// Reads what is taken out.
    pub exports: Arc<dyn Exports>,
    /// Reads the audit.
    pub audits: Arc<dyn Audits>,
    /// Reads what covers it.
    pub chains: Arc<dyn Chains>,
    /// Reads identities.
    pub directory: Arc<dyn Directory>,
    /// Reads what workspaces have set up.
    pub catalog: Arc<dyn Catalog>,
    /// Records what is taken out.
    pub ledger: Arc<dyn Ledger>,
    /// Ids of what is recorded.
    pub ids: Arc<dyn Ids>,
    /// Live events.
    pub live: Arc<dyn Live>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Records what a reader left unread.
    pub spawner: Arc<dyn Spawner>,
}

/// Reads runs and what happens to them.
#[derive(Clone)]
pub struct Observe {
    pub(super) ports: Ports,
}

/// How many rows match, counted up to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// So many.
    pub count: u64,
    /// Whether there are more than were counted.
    pub is_lower_bound: bool,
}

/// A run with everything in it.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeRun {
    /// The run.
    pub run: Run,
    /// Its steps by sequence.
    pub steps: Vec<Step>,
    /// Its cost rows, oldest first.
    pub costs: Vec<Cost>,
    /// The newest runs that came out of it, newest first.
    pub replays: Vec<Run>,
}

impl Observe {
    /// The use cases on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }

    /// One page of the workspace's runs.
    pub async fn list_runs(&self, ctx: &OpContext, query: &RunQuery) -> Result<Page<Run>> {
        guard::authorize(ctx, "run.list")?;
        check(query)?;
        Ok(self.ports.runs.list_runs(ctx.scope, query).await?)
    }

    /// How many runs match, up to 10,000.
    pub async fn count_runs(&self, ctx: &OpContext, filter: &RunFilter) -> Result<Total> {
        guard::authorize(ctx, "run.list")?;
        let mut checks = Checks::default();
        check_counts(&mut checks, filter);
        checks.done()?;
        let count = self.ports.runs.count_runs(ctx.scope, filter, COUNTED + 1).await?;
        Ok(Total { count: count.min(u64::from(COUNTED)), is_lower_bound: count > u64::from(COUNTED) })
    }

    /// The workspace's runs that changed since a page read them at that moment; none where they are too many to tell, or the
    /// page is too old. A few more are called changed than were: a change is stamped before it can be read, and the clocks of
    /// two machines differ.
    pub async fn list_changed(&self, ctx: &OpContext, since: DateTime<Utc>) -> Result<Option<Vec<RunId>>> {
        guard::authorize(ctx, "run.list")?;
        if since < ctx.now - KEPT_OPEN {
            return Ok(None);
        }
        let since = since.min(ctx.now) - STAMPED_BEFORE;
        let changed = self.ports.runs.list_changed(ctx.scope, since, MOST_CHANGED + 1).await?;
        Ok(Some(changed).filter(|changed| changed.len() <= MOST_CHANGED as usize))
    }

    /// One run.
    pub async fn find_run(&self, ctx: &OpContext, id: RunId) -> Result<Run> {
        guard::authorize(ctx, "run.read")?;
        self.ports.runs.find_run(ctx.scope, id).await?.ok_or_else(Error::not_found)
    }

    /// A run's steps by sequence.
    pub async fn list_steps(&self, ctx: &OpContext, id: RunId) -> Result<Vec<Step>> {
        self.find_run(ctx, id).await?;
        Ok(self.ports.runs.list_steps(ctx.scope, id).await?)
    }

    /// A run's cost rows, oldest first.
    pub async fn list_costs(&self, ctx: &OpContext, id: RunId) -> Result<Vec<Cost>> {
        guard::authorize(ctx, "cost.read")?;
        self.find_run(ctx, id).await?;
        Ok(self.ports.runs.list_costs(ctx.scope, id).await?)
    }

    /// A run with its steps by sequence and its cost rows, oldest first.
    pub async fn find_whole_run(&self, ctx: &OpContext, id: RunId) -> Result<(Run, Vec<Step>, Vec<Cost>)> {
        guard::authorize(ctx, "cost.read")?;
        let run = self.find_run(ctx, id).await?;
        let (steps, costs) = self.within_run(ctx, id).await?;
        Ok((run, steps, costs))
    }

    /// The same with the newest runs that came out of it.
    pub async fn find_run_and_replays(&self, ctx: &OpContext, id: RunId) -> Result<WholeRun> {
        guard::authorize(ctx, "cost.read")?;
        guard::authorize(ctx, "run.list")?;
        guard::authorize(ctx, "run.read")?;
        let found = self.ports.runs.find_run_and_replays(ctx.scope, id, REPLAYS).await?;
        let (run, replays) = found.ok_or_else(Error::not_found)?;
        let (steps, costs) = self.within_run(ctx, id).await?;
        Ok(WholeRun { run, steps, costs, replays })
    }

    async fn within_run(&self, ctx: &OpContext, id: RunId) -> Result<(Vec<Step>, Vec<Cost>)> {
        let runs = &self.ports.runs;
        Ok(try_join(runs.list_steps(ctx.scope, id), runs.list_costs(ctx.scope, id)).await?)
    }

    /// A run's stored events by offset.
    pub async fn list_run_events(&self, ctx: &OpContext, id: RunId, range: EventRange) -> Result<Vec<RunEvent>> {
        let mut checks = Checks::default();
        checks.within(Some(range.limit), 1, 1000, "limit");
        checks.done()?;
        self.find_run(ctx, id).await?;
        Ok(self.ports.runs.list_run_events(ctx.scope, id, range).await?)
    }

    /// Names of the callers and keys of runs, by id, as far as the reader may know them.
    pub async fn list_names(&self, ctx: &OpContext, runs: &[Run]) -> Result<BTreeMap<String, String>> {
        names(ctx, &*self.ports.directory, &named_by(runs)).await
    }

    /// The same for a list of runs, with the callers its filter asks for, and all keys the reader may know, newest first.
    pub async fn list_names_and_keys(
        &self,
        ctx: &OpContext,
        runs: &[Run],
        filter: &RunFilter,
    ) -> Result<(BTreeMap<String, String>, Vec<(ApiKeyId, String)>)> {
        let mut wanted = NamedIds { every_key: true, ..named_by(runs) };
        filter.caller_id.iter().for_each(|(Term::Is(id) | Term::Not(id))| wanted.note(id));
        let mut names = names(ctx, &*self.ports.directory, &wanted).await?;
        let keys: Vec<(ApiKeyId, String)> =
            names.iter().rev().filter_map(|(id, name)| Some((id.parse().ok()?, name.clone()))).collect();
        let on_page = |id: &str| id.parse().is_ok_and(|id: ApiKeyId| wanted.keys.contains(&id));
        names.retain(|id, _| on_page(id) || id.parse::<ApiKeyId>().is_err());
        Ok((names, keys))
    }
}

/// Whose names a reader of these runs asks for.
fn named_by(runs: &[Run]) -> NamedIds {
    let mut wanted = NamedIds::default();
    for run in runs {
        wanted.note(&run.caller.id);
        wanted.keys.extend(run.api_key_id);
    }
    wanted
}

/// Refuses what no list of runs answers.
pub(crate) fn check(query: &RunQuery) -> Result<()> {
    let mut checks = Checks::default();
    let filter = &query.filter;
    checks.within(Some(query.limit), 1, 200, "limit");
    check_counts(&mut checks, filter);
    if let Some(text) = &filter.q {
        checks.require((3..=200).contains(&text.chars().count()), "q", "must have 3 to 200 characters");
    }
    let ordered = filter.started_from.zip(filter.started_to).is_none_or(|(from, to)| from < to);
    checks.require(ordered, "started_to", "must be after `started_from`");
    for key in filter.label.keys().filter(|key| !is_label_key(key)) {
        checks.require(
            false,
            format!("label.{key}"),
            "is no key of a label, which is like `team`: `[a-z][a-z0-9_]{0,31}`",
        );
    }
    let (least, most) = (filter.min_cost, filter.max_cost);
    checks.require(
        least.is_none_or(|least| most.is_none_or(|most| least <= most)),
        "max_cost",
        "must not be below `min_cost`",
    );
    let is_about_cost = least.or(most).is_some() || query.sort == RunSort::Cost;
    match filter.currency {
        Some(currency) => checks.currency(currency, "currency"),
        None => checks.require(!is_about_cost, "currency", "is required to compare costs, give a code like `USD`"),
    }
    let is_read = is_about_cost || filter.currency.is_none();
    checks.require(is_read, "currency", "goes with `min_cost`, `max_cost` or `sort=cost`, give one of them, too");
    checks.done()
}

/// A store's statement grows with the values, and so does what it takes to build one.
pub(super) fn check_counts(checks: &mut Checks, filter: &RunFilter) {
    for (name, count) in filter.counts() {
        let most = RunFilter::MOST_VALUES;
        checks.require(count <= most, name, format!("takes at most {most} values, ask in parts"));
    }
}
