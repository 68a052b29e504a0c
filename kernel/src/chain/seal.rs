//! Sealing: a signed checkpoint over what no checkpoint covers yet.
//!
//! Any process may do it, several at once too: of two that make the checkpoint of one number the store keeps the first.

use std::time::Duration;

use types::problem::Code;

use super::{Chain, Checkpoint, Entry, Hash, Signature, root};
use crate::context::Scope;
use crate::error::{Error, Result};

/// Most entries of one checkpoint; so many that wait are sealed at once.
pub const SEGMENT: u32 = 1_000;
/// What waits so long is sealed however little it is.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// Chains looked at in one pass.
const AT_ONCE: u32 = 500;

/// There is no key to sign with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the deployment has no signing key")]
struct NoKey;

impl Chain {
    /// One pass over all chains: seals those that wait for long or have many entries. How long the oldest entry waits that
    /// is not sealed after it, if any. A chain that is broken is left as it is and told of; the others are sealed all the same.
    pub async fn seal_due(&self) -> Result<Option<Duration>> {
        let mut oldest = None;
        for unsealed in self.ports.chains.list_unsealed(AT_ONCE).await? {
            let age = (self.ports.clock.now() - unsealed.since).to_std().unwrap_or_default();
            let is_due = age >= LONGEST_WAIT || unsealed.entries >= u64::from(SEGMENT);
            let is_sealed = is_due && self.try_seal(unsealed.scope).await?;
            if !is_sealed {
                oldest = oldest.max(Some(age));
            }
        }
        Ok(oldest)
    }

    async fn try_seal(&self, scope: Scope) -> Result<bool> {
        match self.seal(scope).await {
            Ok(()) => Ok(true),
            Err(error) if error.code() == Code::ChainBroken => {
                tracing::error!(workspace.id = %scope.workspace_id, %error, "a chain is broken and cannot be sealed");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Seals everything that is in the chain now.
    pub async fn seal(&self, scope: Scope) -> Result<()> {
        let chains = &self.ports.chains;
        let until = chains.head(scope).await?.seq;
        loop {
            let last = chains.last_checkpoint(scope).await?;
            let first = last.as_ref().map_or(0, |last| last.last_seq) + 1;
            if first > until {
                return Ok(());
            }
            let mut entries = chains.list_entries(scope, first, SEGMENT).await?;
            entries.retain(|entry| entry.seq <= until);
            let checkpoint = self.checkpoint(scope, last.as_ref(), &entries, first)?;
            // Somebody else's is as good: the next look finds it.
            chains.put_checkpoint(scope, &checkpoint).await?;
        }
    }

    /// The checkpoint behind another. What does not follow from it is never signed.
    fn checkpoint(&self, scope: Scope, last: Option<&Checkpoint>, entries: &[Entry], first: u64) -> Result<Checkpoint> {
        let mut head = last.map_or(Hash::ZERO, |last| last.head);
        for (entry, seq) in entries.iter().zip(first..) {
            if entry.seq != seq || !entry.is_whole() || entry.prev_hash != head {
                return Err(broken(seq));
            }
            head = entry.hash;
        }
        let last_seq = entries.last().ok_or_else(|| broken(first))?.seq;
        let hashes: Vec<Hash> = entries.iter().map(|entry| entry.hash).collect();
        let signer = &self.ports.signer;
        let ring = signer.ring();
        let key = ring.present().ok_or_else(|| Error::internal(NoKey))?;
        let mut checkpoint = Checkpoint {
            number: last.map_or(0, |last| last.number) + 1,
            first_seq: first,
            last_seq,
            root: root(&hashes),
            head,
            previous: last.map_or(Hash::ZERO, |last| last.hash(scope)),
            sealed_at: self.ports.clock.now(),
            key_id: key.id(),
            signature: Signature([0; 64]),
        };
        checkpoint.signature = signer.sign(key, &checkpoint.body(scope)).ok_or_else(|| Error::internal(NoKey))?;
        Ok(checkpoint)
    }
}

/// A stretch that does not follow from what is sealed before it.
fn broken(seq: u64) -> Error {
    let detail = format!(
        "entry {seq} of the chain is not as it was written, so nothing from there on is sealed or proved; \
         `GET /api/v1/audit/chain/verify` tells what is wrong"
    );
    Error::new(Code::ChainBroken, detail)
}
