//! The audit, with the names behind the ids.

use app::backend::audit::{AuditDetail, AuditList, ChainView};
use app::backend::{Answer, Audit};
use app::query::Range;
use async_trait::async_trait;
use types::audit::{AuditFilter, AuditQuery};
use types::name::Slug;

use super::Visitor;

#[async_trait]
impl Audit for Visitor {
    async fn list_audit(&self, workspace: &Slug, range: Range, mut query: AuditQuery) -> Answer<AuditList> {
        let listed = async {
            let ctx = self.enter(workspace).await?;
            let (from, to) = range.bounds(ctx.now);
            (query.filter.since, query.filter.until) = (Some(from), Some(to));
            let page = self.app.observe.list_audit(&ctx, &query).await?;
            let names = self.app.observe.list_audit_names(&ctx, &page.items, &query.filter).await?;
            Ok(AuditList { page, from, to, names, cursor_refused: false })
        };
        self.answer(listed.await)
    }

    async fn find_audit(&self, workspace: &Slug, seq: u64) -> Answer<AuditDetail> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let entry = self.app.observe.find_audit(&ctx, seq).await?;
            let (entries, filter) = (std::slice::from_ref(&entry), AuditFilter::default());
            let names = self.app.observe.list_audit_names(&ctx, entries, &filter).await?;
            Ok(AuditDetail { entry, names })
        };
        self.answer(found.await)
    }

    async fn find_chain(&self, workspace: &Slug, verify: bool) -> Answer<ChainView> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let state = self.app.chain.find_state(&ctx).await?;
            let found = if verify { Some(self.app.chain.verify(&ctx, None, None).await?) } else { None };
            Ok(ChainView { state, found })
        };
        self.answer(found.await)
    }
}
