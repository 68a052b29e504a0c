//! The home page's figures.

use app::backend::{Answer, Overview};
use app::query::Range;
use async_trait::async_trait;
use types::name::Slug;
use types::observe;

use super::Visitor;

#[async_trait]
impl Overview for Visitor {
    async fn find_overview(&self, workspace: &Slug, range: Range) -> Answer<observe::Overview> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let (from, to) = range.bounds(ctx.now);
            self.app.observe.find_overview(&ctx, from, to).await
        };
        self.answer(found.await)
    }
}
