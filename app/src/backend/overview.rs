//! The home page's figures.

use async_trait::async_trait;
use types::name::Slug;
use types::observe;

use super::Answer;
use crate::query::Range;

/// The home page's figures.
#[async_trait]
pub trait Overview: Send + Sync {
    /// The figures of a range, the range before it, the outcome buckets, the running runs and the set-up steps.
    async fn find_overview(&self, workspace: &Slug, range: Range) -> Answer<observe::Overview>;
}
