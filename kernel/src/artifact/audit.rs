//! Long details of the audit: the row names the artifact that holds them.

use std::io::Write;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::id::ArtifactId;

use super::{INLINE, Keeper, Library, Of};
use crate::context::Scope;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, LedgerError, Op};
use crate::port::{Committed, Ledger};

/// A ledger before which long details of the audit become artifacts. Where the artifact store does not take them they stay in
/// their rows: nothing that is to be audited is refused or lost for it.
pub struct LongAudits {
    inner: Arc<dyn Ledger>,
    keeper: Keeper,
}

impl LongAudits {
    /// In front of a ledger.
    pub fn new(inner: Arc<dyn Ledger>, keeper: Keeper) -> Self {
        Self { inner, keeper }
    }
}

#[async_trait]
impl Ledger for LongAudits {
    async fn commit(&self, mut batch: Batch) -> std::result::Result<Committed, LedgerError> {
        let mut kept = Vec::new();
        for op in &mut batch.ops {
            let Op::AuditAppend(audit) = op else { continue };
            if size(&audit.payload) <= INLINE {
                continue;
            }
            let Ok(bytes) = serde_json::to_vec(&audit.payload) else { continue };
            let Ok(artifact) = self.keeper.keep(batch.scope, bytes, Of::default()).await else { continue };
            let stub = Stub { artifact: Named { id: artifact.id, size: artifact.size, sha256: artifact.sha256.hex() } };
            let Ok(payload) = serde_json::to_value(&stub) else { continue };
            *op = Op::AuditAppend(Arc::new(Audit { payload, ..(**audit).clone() }));
            kept.push(Op::ArtifactAdd(artifact));
        }
        batch.ops.extend(kept);
        self.inner.commit(batch).await
    }
}

/// What stands in the place of long details.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stub {
    artifact: Named,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    id: ArtifactId,
    size: u64,
    sha256: String,
}

/// The details of an audit row, read from the artifact where they are one.
pub(crate) async fn restored(library: &Library, scope: Scope, payload: Value) -> Result<Value> {
    let Ok(Stub { artifact }) = Stub::deserialize(&payload) else { return Ok(payload) };
    let Some(bytes) = library.read(scope, artifact.id).await? else { return Ok(payload) };
    serde_json::from_slice(&bytes).map_err(Error::internal)
}

/// The artifact that holds the details of an audit row, where one does.
pub fn named_by(payload: &Value) -> Option<ArtifactId> {
    Stub::deserialize(payload).ok().map(|stub| stub.artifact.id)
}

/// Bytes of a document as it is written.
fn size(document: &Value) -> usize {
    struct Count(usize);

    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut count, document);
    count.0
}
