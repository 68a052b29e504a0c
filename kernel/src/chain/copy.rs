//! Copying checkpoints out, each chain's in order, so that a chain that was rewritten with the signing key shows, too.
//!
//! Invariant: sealing never waits for this.

use std::sync::Arc;
use std::time::Duration;

use types::id::ProcessId;

use super::{Hash, KeyRing};
use crate::error::Result;
use crate::port::{CheckpointCopies, CheckpointSink, Clock, ObjectError, Signer, Uncopied};

/// Chains looked at in one go.
const AT_ONCE: u32 = 100;
/// How long a process copies alone once it began; it asks again before each go.
const LEASE: Duration = Duration::from_secs(120);
/// What waits longer than this is late.
const LATE: Duration = Duration::from_secs(600);

/// What copying needs from the world.
#[derive(Clone)]
pub struct CopierPorts {
    /// Where to.
    pub sink: Arc<dyn CheckpointSink>,
    /// Remembers how far.
    pub copies: Arc<dyn CheckpointCopies>,
    /// Knows the keys.
    pub signer: Arc<dyn Signer>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Who copies.
    pub process_id: ProcessId,
}

/// Copies checkpoints out.
#[derive(Clone)]
pub struct Copier {
    ports: CopierPorts,
    /// Tells this place from others: whoever names another one gets every checkpoint there.
    name: String,
}

/// What a pass over the chains came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// So many copies were taken.
    pub copies: u64,
    /// How long the oldest checkpoint waits that was not.
    pub oldest: Option<Duration>,
    /// Why the pass ended early.
    pub failure: Option<ObjectError>,
}

impl Copier {
    /// Copies to a place that a text names.
    pub fn new(ports: CopierPorts, place: &str) -> Self {
        let name = Hash::of(&[b"soit/checkpoint-sink/1", place.as_bytes()]).to_string();
        Self { ports, name: name.get(..16).unwrap_or_default().to_owned() }
    }

    /// Copies what is not copied yet, unless another process does. Ends at the first copy that is not taken: it is the first
    /// one of the next pass.
    pub async fn copy_due(&self) -> Result<Copied> {
        let CopierPorts { sink, copies, signer, process_id, .. } = &self.ports;
        let mut pass = Copied::default();
        while copies.lease_copies(&self.name, *process_id, LEASE).await? {
            let waiting = copies.list_uncopied(&self.name, AT_ONCE).await?;
            let ring = signer.ring();
            for one in &waiting {
                match sink.take(&name(one), copy(one, &ring)).await {
                    Ok(()) => copies.mark_copied(&self.name, one.scope, one.checkpoint.number).await?,
                    Err(failure) => {
                        pass.failure = Some(failure);
                        break;
                    }
                }
                pass.copies += 1;
            }
            if waiting.is_empty() || pass.failure.is_some() {
                break;
            }
        }
        pass.oldest = self.oldest().await?;
        Ok(pass)
    }

    /// Whether a checkpoint waits for so long that somebody should look.
    pub async fn is_late(&self) -> Result<bool> {
        Ok(self.oldest().await?.is_some_and(|age| age > LATE))
    }

    async fn oldest(&self) -> Result<Option<Duration>> {
        let waiting = self.ports.copies.list_uncopied(&self.name, 1).await?;
        let now = self.ports.clock.now();
        Ok(waiting.first().map(|one| (now - one.since).to_std().unwrap_or_default()))
    }
}

fn name(one: &Uncopied) -> String {
    format!("{}/{}/{:010}.json", one.scope.tenant_id, one.scope.workspace_id, one.checkpoint.number)
}

/// The checkpoint with its signature and the key that made it: one line, RFC 8785.
fn copy(one: &Uncopied, ring: &KeyRing) -> Vec<u8> {
    let key = ring.keys.iter().find(|key| key.id() == one.checkpoint.key_id);
    one.checkpoint.copy(one.scope, key)
}
