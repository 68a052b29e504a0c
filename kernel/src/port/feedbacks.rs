//! Reading what people say of runs.

use async_trait::async_trait;
use types::id::{RunId, UserId};
use types::name::Name;

use super::StoreError;
use crate::context::Scope;
use crate::record::Feedback;

/// What somebody says of a run, and what they are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// What they say.
    pub feedback: Feedback,
    /// Their name; none where nobody has that id.
    pub user: Option<Name>,
}

/// Reads feedback. Writing goes through the ledger.
#[async_trait]
pub trait Feedbacks: Send + Sync {
    /// What people say of a run, newest first.
    async fn list_feedback(&self, scope: Scope, run_id: RunId) -> Result<Vec<Said>, StoreError>;
    /// What one person says of it.
    async fn find_feedback(&self, scope: Scope, run_id: RunId, by: UserId) -> Result<Option<Feedback>, StoreError>;
}
