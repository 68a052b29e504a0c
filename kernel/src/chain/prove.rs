//! Handing out a stretch of a chain with what proves it, for whoever checks it without trusting this process.

use types::chain::{ChainProof, ProofCheckpoint, ProofEntry};

use super::{Chain, Checkpoint, Entry, Kind, Records, form};
use crate::check::Checks;
use crate::context::{OpContext, Scope};
use crate::error::Result;
use crate::policy::guard;

/// Entries of one answer.
const PAGE: u32 = 250;

impl Chain {
    /// Entries from a number on, at most 250, and the checkpoints that end among them. Audit rows are in it as they are
    /// hashed; of runs the parts are, whose texts nobody learns from them.
    pub async fn prove(&self, ctx: &OpContext, from: u64, to: Option<u64>) -> Result<ChainProof> {
        guard::authorize(ctx, "audit.verify")?;
        guard::authorize(ctx, "export.audit")?;
        let mut checks = Checks::default();
        checks.require(from >= 1, "from", "must be at least 1, the number of the first entry");
        checks.require(to.is_none_or(|to| to >= from), "to", "must not lie before `from`");
        checks.done()?;
        let (scope, chains) = (ctx.scope, &self.ports.chains);
        let end = to.unwrap_or(u64::MAX).min(chains.head(scope).await?.seq);
        let mut entries = chains.list_entries(scope, from, PAGE).await?;
        entries.retain(|entry| entry.seq <= end);
        let records = chains.records(scope, &entries).await?;
        let last = entries.last().map_or(0, |entry| entry.seq);
        let mut checkpoints = chains.list_checkpoints(scope, from, PAGE).await?;
        checkpoints.retain(|checkpoint| checkpoint.last_seq <= last);
        Ok(ChainProof {
            tenant_id: scope.tenant_id,
            workspace_id: scope.workspace_id,
            entries: entries.into_iter().map(|entry| shown(scope, entry, &records)).collect(),
            checkpoints: checkpoints.into_iter().map(sealed).collect(),
            next_from: (last > 0 && last < end).then_some(last + 1),
        })
    }
}

fn shown(scope: Scope, entry: Entry, records: &Records) -> ProofEntry {
    let row = (entry.kind == Kind::Audit).then(|| records.audit.get(&entry.subject_id)).flatten();
    let record = row.and_then(|row| String::from_utf8(form::audit(scope, row).bytes()).ok());
    ProofEntry {
        seq: entry.seq,
        kind: entry.kind.to_string(),
        subject_id: entry.subject_id,
        subject_digest: entry.subject_digest.to_string(),
        prev_hash: entry.prev_hash.to_string(),
        hash: entry.hash.to_string(),
        parts: entry.parts,
        record,
    }
}

fn sealed(checkpoint: Checkpoint) -> ProofCheckpoint {
    ProofCheckpoint {
        number: checkpoint.number,
        first_seq: checkpoint.first_seq,
        last_seq: checkpoint.last_seq,
        root: checkpoint.root.to_string(),
        head: checkpoint.head.to_string(),
        previous: checkpoint.previous.to_string(),
        sealed_at: form::time(checkpoint.sealed_at),
        key_id: checkpoint.key_id,
        signature: checkpoint.signature.to_string(),
    }
}
