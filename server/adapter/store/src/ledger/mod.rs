//! Group commit: many callers' batches in one transaction, each decided alone.
//!
//! A caller's batch waits in [`queue`]; a free [`lane`] takes all that is waiting; [`writer`] loads the state they touch
//! ([`load`]), lets the kernel decide them in order, writes the outcome ([`mod@write`]) and answers after the commit. A
//! transaction that breaks is replayed in halves until the one batch that breaks it stands alone.

mod chain;
mod delivery;
mod find;
mod lane;
mod load;
mod queue;
mod rows;
mod statement;
mod version;
mod weight;
mod witness;
mod write;
mod writer;

use async_trait::async_trait;
use kernel::ledger::{Batch, LedgerError};
use kernel::port::{Committed, Ledger};

use crate::store::Store;

pub(crate) use lane::spawn as spawn_lanes;
pub(crate) use queue::Queue;
pub(crate) use statement::add_to;
pub(crate) use writer::Writer;

#[async_trait]
impl Ledger for Store {
    async fn commit(&self, batch: Batch) -> Result<Committed, LedgerError> {
        let answer = self.queue().submit(batch)?;
        answer.await.unwrap_or_else(|_| Err(LedgerError::Unavailable("the store is closed".to_owned())))
    }
}
