//! Events and what became of them.

use app::backend::outbox::{DeadLetterList, EventList};
use app::backend::{Answer, Outbox};
use app::query::Range;
use async_trait::async_trait;
use types::name::Slug;
use types::outbox::{
    ConsumerLag, DeadLetterFilter, DeadLetterKind, DeadLetterQuery, DiscardDeadLetter, EventQuery, RedrivenLetter,
};
use types::page::Page;

use super::Visitor;

#[async_trait]
impl Outbox for Visitor {
    async fn list_events(&self, workspace: &Slug, range: Range, mut query: EventQuery) -> Answer<EventList> {
        let listed = async {
            let ctx = self.enter(workspace).await?;
            let (from, to) = range.bounds(ctx.now);
            (query.filter.since, query.filter.until) = (Some(from), Some(to));
            let page = self.app.observe.list_events(&ctx, &query).await?;
            Ok(EventList { page, from, to, cursor_refused: false })
        };
        self.answer(listed.await)
    }

    async fn list_lags(&self, workspace: &Slug) -> Answer<Vec<ConsumerLag>> {
        self.answer(async { self.app.observe.list_lags(&self.enter(workspace).await?).await }.await)
    }

    async fn list_dead_letters(&self, workspace: &Slug, query: DeadLetterQuery) -> Answer<DeadLetterList> {
        let listed = async {
            let page = self.app.observe.list_dead_letters(&self.enter(workspace).await?, &query).await?;
            Ok(DeadLetterList { page, cursor_refused: false })
        };
        self.answer(listed.await)
    }

    async fn redrive_dead_letter(&self, workspace: &Slug, kind: DeadLetterKind, id: &str) -> Answer<RedrivenLetter> {
        let redriven = async { self.app.observe.redrive_dead_letter(&self.enter(workspace).await?, kind, id).await };
        self.answer(redriven.await)
    }

    async fn redrive_dead_letters(&self, workspace: &Slug, filter: DeadLetterFilter) -> Answer<Page<RedrivenLetter>> {
        let redriven = async { self.app.observe.redrive_dead_letters(&self.enter(workspace).await?, filter).await };
        self.answer(redriven.await)
    }

    async fn discard_dead_letter(
        &self,
        workspace: &Slug,
        kind: DeadLetterKind,
        id: &str,
        command: DiscardDeadLetter,
    ) -> Answer<()> {
        let discarded = async {
            let ctx = self.enter(workspace).await?;
            self.app.observe.discard_dead_letter(&ctx, kind, id, &command.reason).await
        };
        self.answer(discarded.await)
    }
}
