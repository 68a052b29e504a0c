//! Reading what people say of runs.

use async_trait::async_trait;
use types::id::{RunId, UserId};

use super::StoreError;
use crate::context::Scope;
use crate::record::Feedback;

/// Reads feedback. Writing goes through the ledger.
#[async_trait]
pub trait Feedbacks: Send + Sync {
    /// What people say of a run, newest first.
    async fn list_feedback(&self, scope: Scope, run_id: RunId) -> Result<Vec<Feedback>, StoreError>;
    /// What one person says of it.
    async fn find_feedback(&self, scope: Scope, run_id: RunId, by: UserId) -> Result<Option<Feedback>, StoreError>;
}
