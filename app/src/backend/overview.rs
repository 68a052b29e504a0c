//! The home page's figures.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::id::RunId;
use types::name::Slug;
use types::observe;
use types::run::Run;

use super::Answer;
use crate::query::Range;

/// The home page's figures.
#[async_trait]
pub trait Overview: Send + Sync {
    /// The figures of a range, the range before it, the outcome buckets and the set-up steps.
    async fn find_overview(&self, workspace: &Slug, range: Range) -> Answer<observe::Overview>;

    /// The runs that changed, and budgets with them, since a page was read at that moment; none where they are too many.
    async fn list_changed(&self, workspace: &Slug, since: DateTime<Utc>) -> Answer<Option<Vec<RunId>>>;

    /// The newest runs going on now.
    async fn list_running(&self, workspace: &Slug) -> Answer<Vec<Run>>;
}
