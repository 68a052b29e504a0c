//! What a workspace has set up, and what its people keep.

use crate::context::Scope;
use crate::secret::Sealed;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use types::egress::EgressPolicy;
use types::feedback::Rating;
use types::id::{FeedbackId, ProviderId, RevisionId, RunId, SecretId, UserId, ViewId};
use types::name::Name;
use types::view::ViewPage;

/// A sealed secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The secret's id.
    pub id: SecretId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Unique in the workspace.
    pub name: String,
    /// Ciphertext.
    pub sealed: Sealed,
    /// Counts the values it had; bound into the ciphertext.
    pub value_version: u32,
    /// The provider account it is released to.
    pub released_to: Option<ProviderId>,
    /// Row version.
    pub version: u64,
}

/// The egress layer of a workspace in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressLayer {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The revision's id.
    pub revision_id: RevisionId,
    /// Rules and private networks.
    pub policy: EgressPolicy,
    /// Row version.
    pub version: u64,
}

/// A saved view of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedView {
    /// The view's id.
    pub id: ViewId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Whose it is.
    pub owner_id: UserId,
    /// The list it is of.
    pub page: ViewPage,
    /// Its name as given.
    pub name: Name,
    /// Its name as compared; unique among the living views of an owner and list.
    pub name_key: String,
    /// What stands behind the `?` of the list's address.
    pub query: String,
    /// Whether everybody of the workspace sees it.
    pub shared: bool,
    /// When it was saved.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// When it was deleted; the row stays.
    pub deleted_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// With which views the lists of a workspace open for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewDefaults {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The person.
    pub user_id: UserId,
    /// At most one of each list. One that was deleted, or is not shared any more, counts as none.
    pub views: BTreeMap<ViewPage, ViewId>,
    /// Row version; moves also with each view the person saves.
    pub version: u64,
}

/// What a person says of a run: one row of each, written anew when they say something else.
#[derive(Clone, PartialEq, Eq)]
pub struct Feedback {
    /// The row's id.
    pub id: FeedbackId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// The run.
    pub run_id: RunId,
    /// Who says it.
    pub user_id: UserId,
    /// Good or not.
    pub rating: Rating,
    /// Words such as `wrong_tool`.
    pub labels: Vec<String>,
    /// In their own words: content.
    pub comment: Option<String>,
    /// When they first said something.
    pub created_at: DateTime<Utc>,
    /// When they said this.
    pub updated_at: DateTime<Utc>,
    /// Row version.
    pub version: u64,
}

impl std::fmt::Debug for Feedback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Feedback").field("id", &self.id).field("rating", &self.rating).finish_non_exhaustive()
    }
}
