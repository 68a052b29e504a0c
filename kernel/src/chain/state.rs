//! The use cases on chains: where one stands, and the keys that sign.

use std::sync::Arc;

use types::chain::{ChainCheckpoint, ChainState, KeyRotation, SigningKey, SigningKeys};

use super::{Checkpoint, PublicKey, Rotation};
use crate::context::{OpContext, Scope};
use crate::error::Result;
use crate::policy::guard;
use crate::port::{Chains, Clock, Signer};

/// What chains need from the world.
#[derive(Clone)]
pub struct Ports {
    /// Reads chains.
    pub chains: Arc<dyn Chains>,
    /// Signs checkpoints.
    pub signer: Arc<dyn Signer>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// Looks after chains: says where they stand, checks them, and seals them with checkpoints.
#[derive(Clone)]
pub struct Chain {
    pub(super) ports: Ports,
}

impl Chain {
    /// The use cases on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }

    /// Where the workspace's chain stands.
    pub async fn find_state(&self, ctx: &OpContext) -> Result<ChainState> {
        guard::authorize(ctx, "audit.verify")?;
        self.state_of(ctx.scope).await
    }

    /// Where the chain of what the tenant of the context did as a whole stands.
    pub async fn find_tenant_state(&self, ctx: &OpContext) -> Result<ChainState> {
        guard::authorize(ctx, "tenant_audit.read")?;
        self.state_of(ctx.scope).await
    }

    async fn state_of(&self, scope: Scope) -> Result<ChainState> {
        let head = self.ports.chains.head(scope).await?;
        let last = self.ports.chains.last_checkpoint(scope).await?;
        Ok(ChainState {
            entries: head.seq,
            head: (head.seq > 0).then(|| head.hash.to_string()),
            unsealed: head.seq.saturating_sub(last.as_ref().map_or(0, |last| last.last_seq)),
            last_checkpoint: last.map(view),
        })
    }

    /// The public keys that checkpoints and evidence are signed for: everybody may have them.
    pub fn list_keys(&self) -> SigningKeys {
        let ring = self.ports.signer.ring();
        let key = |key: &PublicKey| SigningKey {
            key_id: key.id(),
            algorithm: "ed25519".to_owned(),
            public_key: key.to_string(),
            valid_from: ring.rotations.iter().find(|one| one.to == *key).map(|one| one.rotated_at),
            valid_until: ring.rotations.iter().find(|one| one.from == *key).map(|one| one.rotated_at),
        };
        let rotation = |one: &Rotation| KeyRotation {
            from_key: one.from.to_string(),
            to_key: one.to.to_string(),
            rotated_at: one.rotated_at,
            statement: one.text(),
        };
        let rotations = ring.rotations.iter().map(rotation).collect();
        SigningKeys { keys: ring.keys.iter().map(key).collect(), rotations }
    }
}

fn view(checkpoint: Checkpoint) -> ChainCheckpoint {
    ChainCheckpoint {
        number: checkpoint.number,
        first_seq: checkpoint.first_seq,
        last_seq: checkpoint.last_seq,
        root: checkpoint.root.to_string(),
        sealed_at: checkpoint.sealed_at,
        key_id: checkpoint.key_id,
    }
}
