//! How long a workspace keeps what, what is held, and what purges did.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::id::{FormKey, LegalHoldId};
use types::name::Slug;
use types::retention::{CreateLegalHold, KeptFor, LegalHold, ReleaseLegalHold, Retention as Times, RetentionReport};

use super::Answer;

/// What the page of retention shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionView {
    /// The times.
    pub times: Times,
    /// What the last purges did, the newest first.
    pub reports: Vec<RetentionReport>,
    /// Legal holds, the newest first; none for those who may not see them.
    pub holds: Option<Vec<LegalHold>>,
}

/// How long a workspace keeps what. Changes may answer `step_up_required`.
#[async_trait]
pub trait Retention: Send + Sync {
    /// The times, reports and holds.
    async fn find_retention(&self, workspace: &Slug) -> Answer<RetentionView>;

    /// Changes times that are still at `version`.
    async fn update_retention(&self, workspace: &Slug, version: u64, command: KeptFor) -> Answer<Times>;

    /// Places a legal hold.
    async fn create_legal_hold(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateLegalHold,
    ) -> Answer<LegalHold>;

    /// Releases one.
    async fn release_legal_hold(
        &self,
        workspace: &Slug,
        id: LegalHoldId,
        command: ReleaseLegalHold,
    ) -> Answer<LegalHold>;
}
