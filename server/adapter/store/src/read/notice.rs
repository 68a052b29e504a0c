//! Notices between the processes that share a store: PostgreSQL carries them, SQLite has one process.

use async_trait::async_trait;
use futures::stream::BoxStream;
use kernel::ledger::Durability;
use kernel::port::{Notice, Notices, StoreError};
use types::id::ProcessId;

use crate::dialect::{listen, notify};
use crate::error::reading;
use crate::store::Store;

#[async_trait]
impl Notices for Store {
    async fn tell(&self, by: ProcessId, notice: Notice) -> Result<(), StoreError> {
        if self.database().url().is_none() {
            return Ok(());
        }
        let transaction = self.database().begin(Durability::Process).await.map_err(reading)?;
        notify(transaction.session(), by, notice).await.map_err(reading)?;
        transaction.commit().await.map_err(reading)
    }

    async fn listen(
        &self,
        own: ProcessId,
    ) -> Result<Option<BoxStream<'static, Result<Notice, StoreError>>>, StoreError> {
        match self.database().url() {
            Some(url) => listen(url, own).await.map(Some),
            None => Ok(None),
        }
    }
}
