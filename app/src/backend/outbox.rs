//! Events, what was given up of them, and how far their consumers are behind.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use types::name::Slug;
use types::outbox::{
    ConsumerLag, DeadLetter, DeadLetterFilter, DeadLetterKind, DeadLetterQuery, DiscardDeadLetter, EventQuery,
    OutboxEvent, RedrivenLetter,
};
use types::page::Page;

use super::Answer;
use crate::query::Range;

/// One page of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventList {
    /// The events, newest first.
    pub page: Page<OutboxEvent>,
    /// Start of the range.
    pub from: DateTime<Utc>,
    /// End of the range.
    pub to: DateTime<Utc>,
    /// The cursor was none of this list's, so this is its first page.
    pub cursor_refused: bool,
}

/// One page of dead letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeadLetterList {
    /// The letters, last given up first.
    pub page: Page<DeadLetter>,
    /// The cursor was none of this list's, so this is its first page.
    pub cursor_refused: bool,
}

/// Events and what became of them.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// One page of the events of a range. `query.filter.since` and `until` are set from the range by the backend.
    async fn list_events(&self, workspace: &Slug, range: Range, query: EventQuery) -> Answer<EventList>;

    /// How far each consumer is behind.
    async fn list_lags(&self, workspace: &Slug) -> Answer<Vec<ConsumerLag>>;

    /// One page of what was given up.
    async fn list_dead_letters(&self, workspace: &Slug, query: DeadLetterQuery) -> Answer<DeadLetterList>;

    /// Has one dead letter tried again.
    async fn redrive_dead_letter(&self, workspace: &Slug, kind: DeadLetterKind, id: &str) -> Answer<RedrivenLetter>;

    /// Has up to 1,000 of those that match tried again.
    async fn redrive_dead_letters(&self, workspace: &Slug, filter: DeadLetterFilter) -> Answer<Page<RedrivenLetter>>;

    /// Lets one go, for a reason.
    async fn discard_dead_letter(
        &self,
        workspace: &Slug,
        kind: DeadLetterKind,
        id: &str,
        command: DiscardDeadLetter,
    ) -> Answer<()>;
}
