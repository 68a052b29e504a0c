//! The `SessionStore` that `tower-sessions` asks. It writes nothing: it adopts the ids whose rows the use cases wrote.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::port::{Clock, Directory};
use time::OffsetDateTime;
use tower_sessions::SessionStore;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};

use super::cookie::{TICKET, Ticket};

/// Session rows as `tower-sessions` sees them.
#[derive(Clone)]
pub(crate) struct Rows {
    directory: Arc<dyn Directory>,
    clock: Arc<dyn Clock>,
}

impl Rows {
    pub(super) fn new(directory: Arc<dyn Directory>, clock: Arc<dyn Clock>) -> Self {
        Self { directory, clock }
    }
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rows")
    }
}

#[async_trait]
impl SessionStore for Rows {
    /// Takes the id whose row was written; a session nobody opened is not made.
    async fn create(&self, record: &mut Record) -> Result<()> {
        let ticket = record.data.remove(TICKET).and_then(|value| serde_json::from_value::<Ticket>(value).ok());
        let ticket = ticket.ok_or_else(|| Error::Backend("no session was opened".to_owned()))?;
        record.id = ticket.id();
        Ok(())
    }

    /// Uses are noted where they are authenticated.
    async fn save(&self, _: &Record) -> Result<()> {
        Ok(())
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let found = self.directory.find_session(Ticket::of(*id).digest()).await;
        let found = found.map_err(|error| Error::Backend(error.to_string()))?.map(|found| found.session);
        let now = self.clock.now();
        let live = found.filter(|session| session.ended_at.is_none() && now < session.token_expires_at);
        let expiry = live.and_then(|session| OffsetDateTime::from_unix_timestamp(session.expires_at.timestamp()).ok());
        Ok(expiry.map(|expiry_date| Record { id: *id, data: std::collections::HashMap::default(), expiry_date }))
    }

    /// Sessions are ended by people, with their audit row; forgetting a cookie ends nothing.
    async fn delete(&self, _: &Id) -> Result<()> {
        Ok(())
    }
}
