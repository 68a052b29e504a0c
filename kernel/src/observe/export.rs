//! Handing out every run that matches, page by page, so that it takes no more memory than one page.

use futures::stream::{BoxStream, StreamExt, TryStreamExt, iter, try_unfold};
use serde_json::json;
use types::run::{Run, RunQuery};

use super::Observe;
use super::reading::check;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability};
use crate::policy::guard;

/// Runs read at once.
const PAGE: u32 = 200;

impl Observe {
    /// Every run that matches, in the order asked for. That they were taken out is recorded before the first leaves.
    pub async fn export_runs(&self, ctx: &OpContext, query: RunQuery) -> Result<BoxStream<'static, Result<Run>>> {
        guard::authorize(ctx, "export.runs")?;
        let first = RunQuery { limit: PAGE, cursor: None, ..query };
        check(&first)?;
        let audit = Audit::done(ctx, &*self.ports.ids, "ledger.exported", "export.runs", ("export", "runs"))
            .with_payload(json!({ "filter": first.filter }));
        self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with([audit.into()])).await?;
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
        Ok(pages.try_flatten().boxed())
    }
}
