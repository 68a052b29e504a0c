//! Who is signed in, where they are, and their own account.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::account::{DeletionRequest, VerifyEmail};
use types::id::SessionId;
use types::identity::{self, ChangePassword, Me, Membership, Permissions, StepUp, UpdateMe};
use types::name::Slug;
use types::search::Hit;
use types::tenant::Tenant;

use super::Answer;

/// How the installation feels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Everything works.
    #[default]
    Normal,
    /// Something does not, and soit goes on without it.
    Degraded,
    /// Calls are refused.
    Unavailable,
}

/// The state and, unless normal, which dependencies are the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// The state.
    pub state: HealthState,
    /// Names of the checks that fail: `store`, `outbox` …
    pub failing: Vec<String>,
}

/// What every signed-in page needs around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shell {
    /// The person, their workspaces, their role here and how fresh their proof of identity is.
    pub me: Me,
    /// The workspace of the page.
    pub workspace: Membership,
    /// The tenants they belong to.
    #[serde(default)]
    pub tenants: Vec<Tenant>,
    /// What they may do in it.
    pub permissions: Permissions,
    /// The base URL that clients are pointed at: `http://localhost:9200/v1`.
    pub api_url: String,
    /// How the installation feels.
    pub health: Health,
    /// The version of soit.
    pub version: String,
    /// The build of the console the server has, as [`crate::visit::Visit`] has that of the page.
    pub build: String,
    /// Runs going on now; absent when it could not be counted.
    pub active_runs: Option<u64>,
}

/// The signed-in person. A request without a session answers `unauthenticated`.
#[async_trait]
pub trait Session: Send + Sync {
    /// What surrounds the pages of a workspace; `not_found` unless they belong to it. Remembers it as the last used one.
    async fn find_shell(&self, workspace: &Slug) -> Answer<Shell>;

    /// Changes them.
    async fn update_me(&self, command: UpdateMe) -> Answer<Me>;

    /// What a workspace holds, by a few letters or an id.
    async fn search(&self, workspace: &Slug, q: String) -> Answer<Vec<Hit>>;

    /// Their sessions, newest first, the present one marked.
    async fn list_sessions(&self) -> Answer<Vec<identity::Session>>;

    /// Ends one of their sessions.
    async fn revoke_session(&self, id: SessionId) -> Answer<()>;

    /// Ends all their sessions but the present one.
    async fn revoke_other_sessions(&self) -> Answer<()>;

    /// Changes their password and ends all other sessions.
    async fn change_password(&self, command: ChangePassword) -> Answer<()>;

    /// Has a link sent that proves their address, or gives them another one.
    async fn verify_email(&self, command: VerifyEmail) -> Answer<()>;

    /// Has their account closed after some days.
    async fn request_deletion(&self) -> Answer<DeletionRequest>;

    /// Keeps it after all.
    async fn withdraw_deletion(&self) -> Answer<DeletionRequest>;

    /// Proves their identity again, for the actions that answer `step_up_required`.
    async fn step_up(&self, command: StepUp) -> Answer<()>;
}
