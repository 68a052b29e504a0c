//! The workspace's settings, and what this installation is.

use app::backend::settings::About;
use app::backend::{Answer, Settings};
use async_trait::async_trait;
use types::identity::{UpdateWorkspace, Workspace};
use types::name::Slug;

use super::Visitor;
use crate::config::DatabaseUrl;

#[async_trait]
impl Settings for Visitor {
    async fn find_workspace(&self, workspace: &Slug) -> Answer<Workspace> {
        self.answer(async { self.app.identity.find_workspace(&self.enter(workspace).await?).await }.await)
    }

    async fn update_workspace(&self, workspace: &Slug, version: u64, command: UpdateWorkspace) -> Answer<Workspace> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            self.app.identity.update_workspace(&ctx, Some(version), &command).await
        };
        self.answer(updated.await)
    }

    async fn find_about(&self) -> Answer<About> {
        let found = async {
            self.person().await?;
            let config = &self.app.config;
            let database = match config.database.url {
                DatabaseUrl::Sqlite(_) => "SQLite",
                DatabaseUrl::Postgres(_) => "PostgreSQL",
            };
            Ok(About {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                environment: config.process.environment.to_string(),
                database: database.to_owned(),
                durability: config.ledger.durability.to_string(),
                console_url: config.http.public_url.to_string(),
                api_url: config.http.api_url(),
                processes: u64::try_from(self.app.processes.list_alive().await?.len()).unwrap_or_default(),
            })
        };
        self.answer(found.await)
    }
}
