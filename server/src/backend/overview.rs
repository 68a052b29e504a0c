//! The home page's figures.

use app::backend::{Answer, Overview};
use app::query::Range;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::id::RunId;
use types::name::Slug;
use types::observe;
use types::run::{Run, RunFilter, RunQuery, RunStatus};

use super::Visitor;

/// Most runs shown as going on.
const RUNNING: u32 = 20;

#[async_trait]
impl Overview for Visitor {
    async fn find_overview(&self, workspace: &Slug, range: Range) -> Answer<observe::Overview> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let (from, to) = range.bounds(ctx.now);
            self.app.usage.find_overview(&ctx, from, to).await
        };
        self.answer(found.await)
    }

    async fn list_changed(&self, workspace: &Slug, since: DateTime<Utc>) -> Answer<Option<Vec<RunId>>> {
        let listed = async { self.app.observe.list_changed(&self.enter(workspace).await?, since).await };
        self.answer(listed.await)
    }

    async fn list_running(&self, workspace: &Slug) -> Answer<Vec<Run>> {
        let listed = async {
            let ctx = self.enter(workspace).await?;
            let open = RunStatus::ALL.iter().filter(|status| !status.is_final());
            let filter = RunFilter { status: open.map(|status| (*status).into()).collect(), ..RunFilter::default() };
            let query = RunQuery { filter, limit: RUNNING, ..RunQuery::default() };
            Ok(self.app.observe.list_runs(&ctx, &query).await?.items)
        };
        self.answer(listed.await)
    }
}
