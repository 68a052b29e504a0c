//! The workspace's settings and what this installation is.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::identity::{UpdateWorkspace, Workspace};
use types::name::Slug;

use super::Answer;

/// What this installation is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The version of soit.
    pub version: String,
    /// `development`, `production` …
    pub environment: String,
    /// `sqlite` or `postgresql`, with its version.
    pub database: String,
    /// `standard`, `strict` or `process`.
    pub durability: String,
    /// Where the console is reached.
    pub console_url: String,
    /// The base URL that clients are pointed at.
    pub api_url: String,
    /// Live processes of this installation.
    pub processes: u64,
}

/// The workspace's settings and what this installation is.
#[async_trait]
pub trait Settings: Send + Sync {
    /// The workspace.
    async fn find_workspace(&self, workspace: &Slug) -> Answer<Workspace>;

    /// Changes a workspace that is still at `version`.
    async fn update_workspace(&self, workspace: &Slug, version: u64, command: UpdateWorkspace) -> Answer<Workspace>;

    /// What this installation is.
    async fn find_about(&self) -> Answer<About>;
}
