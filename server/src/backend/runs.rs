//! Runs and what happened in them, with the names behind the ids.

use std::time::Duration;

use app::backend::runs::{Choices, RunDetail, RunList, Total};
use app::backend::{Answer, Runs};
use app::query::{Range, within};
use async_trait::async_trait;
use futures::future::join;
use kernel::OpContext;
use kernel::observe::WholeRun;
use kernel::port::EventRange;
use tokio::time::timeout;
use types::compare::Comparison;
use types::feedback::{Feedback, GiveFeedback};
use types::id::{FormKey, RunId};
use types::name::Slug;
use types::page::Page;
use types::replay::{ForkRun, Replayed, RerunRun, Timeline};
use types::run::{CanceledRuns, Run, RunEvent, RunFacets, RunFilter, RunQuery};

use super::Visitor;

/// Most events of a run read at once: as many rows as a page shows.
const MOST_EVENTS: u32 = 200;
/// Longest a list waits for each of its counts.
const PATIENCE: Duration = Duration::from_secs(1);

#[async_trait]
impl Runs for Visitor {
    async fn list_runs(&self, workspace: &Slug, range: Range, query: RunQuery) -> Answer<RunList> {
        self.answer(self.run_list(workspace, range, query).await)
    }

    async fn find_run(&self, workspace: &Slug, id: RunId) -> Answer<RunDetail> {
        let found = async {
            let (ctx, observe) = (self.enter(workspace).await?, &self.app.observe);
            let WholeRun { run, steps, costs, replays } = observe.find_run_and_replays(&ctx, id).await?;
            let names = observe.list_names(&ctx, std::slice::from_ref(&run)).await?;
            let feedback = self.app.feedback.list_feedback_of(&ctx, &run).await?;
            let replay = self.app.replays.find_replay(&ctx, &run).await?;
            Ok(RunDetail { run, steps, costs, names, feedback, replay, replays })
        };
        self.answer(found.await)
    }

    async fn compare_runs(&self, workspace: &Slug, a: RunId, b: RunId) -> Answer<Comparison> {
        let compared = async { self.app.observe.compare_runs(&self.enter(workspace).await?, a, b).await };
        self.answer(compared.await)
    }

    async fn give_feedback(&self, workspace: &Slug, id: RunId, command: GiveFeedback) -> Answer<Feedback> {
        let given = async { self.app.feedback.give_feedback(&self.enter(workspace).await?, id, &command).await };
        self.answer(given.await)
    }

    async fn rerun_run(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        id: RunId,
        command: RerunRun,
    ) -> Answer<Replayed> {
        let made =
            async { self.app.replays.rerun_run(&self.enter_with(workspace, form_key).await?, id, &command).await };
        self.answer(made.await)
    }

    async fn reexecute_run(&self, workspace: &Slug, form_key: Option<FormKey>, id: RunId) -> Answer<Replayed> {
        let made = async { self.app.replays.reexecute_run(&self.enter_with(workspace, form_key).await?, id).await };
        self.answer(made.await)
    }

    async fn fork_run(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        id: RunId,
        command: ForkRun,
    ) -> Answer<Replayed> {
        let made =
            async { self.app.replays.fork_run(&self.enter_with(workspace, form_key).await?, id, &command).await };
        self.answer(made.await)
    }

    async fn cancel_run(&self, workspace: &Slug, id: RunId) -> Answer<Run> {
        let canceled = async { self.app.control.cancel_run(&self.enter(workspace).await?, id).await };
        self.answer(canceled.await)
    }

    async fn cancel_runs(&self, workspace: &Slug, range: Range, filter: RunFilter) -> Answer<CanceledRuns> {
        let canceled = async {
            let ctx = self.enter(workspace).await?;
            self.app.control.cancel_runs(&ctx, &within(range, ctx.now, filter)).await
        };
        self.answer(canceled.await)
    }

    async fn inspect_run(&self, workspace: &Slug, id: RunId, after: u64) -> Answer<Timeline> {
        let range = EventRange { after, limit: MOST_EVENTS };
        let inspected = async { self.app.replays.inspect_run(&self.enter(workspace).await?, id, range).await };
        self.answer(inspected.await)
    }

    async fn list_run_events(&self, workspace: &Slug, id: RunId, after: u64) -> Answer<Page<RunEvent>> {
        let listed = async {
            let ctx = self.enter(workspace).await?;
            let range = EventRange { after, limit: MOST_EVENTS };
            Ok(self.app.observe.list_run_events(&ctx, id, range).await?.into())
        };
        self.answer(listed.await)
    }
}

impl Visitor {
    async fn run_list(&self, workspace: &Slug, range: Range, mut query: RunQuery) -> kernel::Result<RunList> {
        let (ctx, observe) = (self.enter(workspace).await?, &self.app.observe);
        let (from, to) = range.bounds(ctx.now);
        query.filter = within(range, ctx.now, query.filter);
        let counting = timeout(PATIENCE, observe.count_facets(&ctx, &query.filter));
        let (page, facets) = join(observe.list_runs(&ctx, &query), counting).await;
        let page = page?;
        // A list without its counts is still a list.
        let facets = facets.ok().and_then(Result::ok);
        let total = self.total(&ctx, &query.filter, facets.as_ref()).await;
        let (names, keys) = observe.list_names_and_keys(&ctx, &page.items, &query.filter).await?;
        let choices = Choices { keys, facets };
        Ok(RunList { page, total, from, to, choices, names, cursor_refused: false })
    }

    /// How many match. Where the facets looked at every run, they know.
    async fn total(&self, ctx: &OpContext, filter: &RunFilter, facets: Option<&RunFacets>) -> Option<Total> {
        if let Some(facets) = facets.filter(|facets| !facets.is_lower_bound) {
            return Some(Total { count: facets.total, is_lower_bound: false });
        }
        let total = timeout(PATIENCE, self.app.observe.count_runs(ctx, filter)).await.ok()?.ok()?;
        Some(Total { count: total.count, is_lower_bound: total.is_lower_bound })
    }
}
