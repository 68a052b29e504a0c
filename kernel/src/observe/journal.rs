//! The record of an export: that it began, and how much of it left, also when it was cut.

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use types::export::RecordType;

use super::Observe;
use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::{Audit, Batch, Durability};

/// What of an export has left so far. Dropped before the end, it records a cut one.
pub struct Journal {
    observe: Observe,
    ctx: OpContext,
    what: What,
    count: u64,
    hash: Sha256,
    is_over: bool,
}

/// What an export was in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// So many records.
    pub count: u64,
    /// SHA-256 of every byte, in hex.
    pub sha256: String,
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
        Ok(Journal { observe: self.clone(), ctx: ctx.clone(), what, count: 0, hash: Sha256::new(), is_over: false })
    }

    pub(super) async fn note(&self, ctx: &OpContext, audit: Audit) -> Result<()> {
        self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with([audit.into()])).await?;
        Ok(())
    }
}

impl Journal {
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

    fn end(&self, Receipt { count, sha256 }: &Receipt, complete: bool) -> Audit {
        let mut payload = self.what.told.clone();
        if let Value::Object(members) = &mut payload {
            members.extend([
                ("count".to_owned(), json!(count)),
                ("sha256".to_owned(), json!(sha256)),
                ("complete".to_owned(), json!(complete)),
            ]);
        }
        let audit = self.what.audit(&self.observe, &self.ctx, "ledger.exported");
        Audit { occurred_at: self.observe.ports.clock.now(), ..audit.with_payload(payload) }
    }

    fn receipt(&self) -> Receipt {
        let sha256 = self.hash.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Receipt { count: self.count, sha256 }
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
