//! Runs and what happened in them, with the names behind the ids.

use app::backend::runs::{Choices, RunDetail, RunList, Total};
use app::backend::{Answer, Runs};
use app::query::Range;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::OpContext;
use kernel::port::EventRange;
use types::id::RunId;
use types::name::Slug;
use types::page::Page;
use types::run::{RunEvent, RunQuery};

use super::Visitor;

/// Most events of a run read at once.
const MOST_EVENTS: u32 = 1000;

#[async_trait]
impl Runs for Visitor {
    async fn list_runs(&self, workspace: &Slug, range: Range, query: RunQuery) -> Answer<RunList> {
        self.answer(self.run_list(workspace, range, query).await)
    }

    async fn find_run(&self, workspace: &Slug, id: RunId) -> Answer<RunDetail> {
        let found = async {
            let (ctx, observe) = (self.enter(workspace).await?, &self.app.observe);
            let run = observe.find_run(&ctx, id).await?;
            Ok(RunDetail {
                steps: observe.list_steps(&ctx, id).await?,
                costs: observe.list_costs(&ctx, id).await?,
                names: observe.list_names(&ctx, std::slice::from_ref(&run)).await?,
                run,
            })
        };
        self.answer(found.await)
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
        (query.filter.started_from, query.filter.started_to) = (Some(from), Some(to));
        let page = observe.list_runs(&ctx, &query).await?;
        // A list without its total is still a list.
        let total = observe.count_runs(&ctx, &query.filter).await.ok();
        let total = total.map(|total| Total { count: total.count, is_lower_bound: total.is_lower_bound });
        let names = observe.list_names(&ctx, &page.items).await?;
        let choices = self.choices(&ctx, from, to).await?;
        Ok(RunList { page, total, from, to, choices, names, cursor_refused: false })
    }

    async fn choices(&self, ctx: &OpContext, from: DateTime<Utc>, to: DateTime<Utc>) -> kernel::Result<Choices> {
        let keys = self.app.identity.list_keys(ctx).await?;
        Ok(Choices {
            keys: keys.into_iter().map(|key| (key.id, key.name.to_string())).collect(),
            models: self.app.observe.list_called_models(ctx, from, to).await?,
        })
    }
}
