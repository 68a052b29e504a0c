//! The record of an export: that it began, and how much of it left, also when it was cut.

use std::sync::Arc;

use futures::stream::BoxStream;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use types::export::RecordType;

use super::Observe;
use super::coverage::Coverage;
use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::{Audit, Batch, Durability};
use crate::port::Record;

/// What of an export has left so far. Dropped before the end, it records a cut one.
pub struct Journal {
    observe: Observe,
    ctx: OpContext,
    what: What,
    count: u64,
    hash: Sha256,
    coverage: Coverage,
    is_over: bool,
}

/// What an export was in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// So many records.
    pub count: u64,
    /// SHA-256 of every byte, in hex.
    pub sha256: String,
    /// The lowest number of the chain's entries that cover the records; none where no entry does.
    pub first_chain_seq: Option<u64>,
    /// The highest one.
    pub last_chain_seq: Option<u64>,
}

/// What goes out.
#[derive(Clone, Debug)]
pub(super) struct What {
    pub(super) record_type: RecordType,
    /// Which of them, as the audit tells it: an object.
    pub(super) told: Value,
}

impl What {
    fn audit(&self, observe: &Observe, ctx: &OpContext, event_type: &str) -> Audit {
        let operation = format!("export.{}", self.record_type);
        Audit::done(ctx, &*observe.ports.ids, event_type, &operation, ("export", self.record_type))
    }
}

impl Observe {
    /// Whoever takes something out is on the record before the first of it leaves.
    pub(super) async fn begin(&self, ctx: &OpContext, what: What) -> Result<Journal> {
        let audit = what.audit(self, ctx, "ledger.export_started").with_payload(what.told.clone());
        self.note(ctx, audit).await?;
        let (observe, ctx, coverage) = (self.clone(), ctx.clone(), Coverage::default());
        Ok(Journal { observe, ctx, what, count: 0, hash: Sha256::new(), coverage, is_over: false })
    }

    pub(super) async fn note(&self, ctx: &OpContext, audit: Audit) -> Result<()> {
        self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with([audit.into()])).await?;
        Ok(())
    }
}

impl Journal {
    /// The records of an export: what covers them is noted on their way out.
    pub(super) fn cover(&self, records: BoxStream<'static, Result<Record>>) -> BoxStream<'static, Result<Record>> {
        let chains = Arc::clone(&self.observe.ports.chains);
        self.coverage.of(chains, self.ctx.scope, self.what.record_type, records)
    }

    /// So many bytes more, with so many records in them, are about to leave.
    pub fn note(&mut self, bytes: &[u8], records: u64) {
        self.hash.update(bytes);
        self.count += records;
    }

    /// Everything has left: recorded before anybody is told so.
    pub async fn finish(mut self) -> Result<Receipt> {
        self.is_over = true;
        let receipt = self.receipt();
        self.observe.note(&self.ctx, self.end(&receipt, true)).await?;
        Ok(receipt)
    }

    fn end(&self, receipt: &Receipt, complete: bool) -> Audit {
        let mut payload = self.what.told.clone();
        if let Value::Object(members) = &mut payload {
            members.extend([
                ("count".to_owned(), json!(receipt.count)),
                ("sha256".to_owned(), json!(receipt.sha256)),
                ("first_chain_seq".to_owned(), json!(receipt.first_chain_seq)),
                ("last_chain_seq".to_owned(), json!(receipt.last_chain_seq)),
                ("complete".to_owned(), json!(complete)),
            ]);
        }
        let audit = self.what.audit(&self.observe, &self.ctx, "ledger.exported");
        Audit { occurred_at: self.observe.ports.clock.now(), ..audit.with_payload(payload) }
    }

    fn receipt(&self) -> Receipt {
        let sha256 = self.hash.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let (first_chain_seq, last_chain_seq) = self.coverage.span().unzip();
        Receipt { count: self.count, sha256, first_chain_seq, last_chain_seq }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (observe, ctx, audit) = (self.observe.clone(), self.ctx.clone(), self.end(&self.receipt(), false));
        self.observe.ports.spawner.spawn(Box::pin(async move {
            if let Err(error) = observe.note(&ctx, audit).await {
                tracing::error!(%error, "that an export was cut could not be recorded");
            }
        }));
    }
}
