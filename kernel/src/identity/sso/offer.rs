//! What is offered to who has not signed in.

use types::identity::{AuthCapabilities, SsoConnection};

use super::PATH;
use crate::error::Result;
use crate::identity::Identity;

/// Connections that are told to strangers.
const MOST_OFFERED: u32 = 50;

impl Identity {
    /// How people get in here, identity providers included.
    pub async fn auth_capabilities(&self) -> Result<AuthCapabilities> {
        Ok(AuthCapabilities { sso: self.list_sso_offers().await?, ..self.capabilities() })
    }

    /// The identity providers people may sign in with.
    pub async fn list_sso_offers(&self) -> Result<Vec<SsoConnection>> {
        let connections = self.ports.sso.store.list_offered(MOST_OFFERED).await?;
        let offer = |connection: crate::record::SsoConnection| SsoConnection {
            start_url: format!("{PATH}/{}/start", connection.id),
            id: connection.id.to_string(),
            label: connection.label.to_string(),
        };
        Ok(connections.into_iter().map(offer).collect())
    }
}
