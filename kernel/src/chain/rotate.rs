//! Giving a deployment a new signing key, and telling every chain.

use std::sync::Arc;

use serde_json::json;

use super::Rotation;
use crate::context::{OpContext, Scope};
use crate::error::Result;
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::port::{Chains, Clock, Ids, KeyKeeper, Ledger, Signer};

/// Chains told in one page.
const AT_ONCE: u32 = 200;

/// What rotating needs from the world.
#[derive(Clone)]
pub struct RotatorPorts {
    /// Makes and keeps keys.
    pub keeper: Arc<dyn KeyKeeper>,
    /// Knows the keys.
    pub signer: Arc<dyn Signer>,
    /// Reads chains.
    pub chains: Arc<dyn Chains>,
    /// Writes their entries.
    pub ledger: Arc<dyn Ledger>,
    /// Ids of what is recorded.
    pub ids: Arc<dyn Ids>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// Rotates the signing key.
#[derive(Clone)]
pub struct Rotator {
    ports: RotatorPorts,
}

/// What a rotation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The statement; none where there was nothing to finish.
    pub rotation: Option<Rotation>,
    /// So many chains were told by this.
    pub chains: u64,
}

impl Rotator {
    /// The use case on these ports.
    pub fn new(ports: RotatorPorts) -> Self {
        Self { ports }
    }

    /// Makes a new key that signs from now on, and enters that in every chain. Where it is cut, [`Rotator::finish`] does what
    /// is left.
    pub async fn rotate(&self) -> Result<Rotated> {
        let ids = &*self.ports.ids;
        let ctx = OpContext::system("cli", Scope::INSTANCE, ids.request(), self.ports.clock.now());
        let rotation = self.ports.keeper.rotate(ctx.now).await?;
        let payload = json!({ "from_key": rotation.from.id(), "to_key": rotation.to.id() });
        let of = ("instance", "signing_key");
        let audit = Audit::done(&ctx, ids, "signing_key.rotated", "instance.settings", of).with_payload(payload);
        let batch = Batch::closing(Scope::INSTANCE).with([audit.into()]);
        self.ports.ledger.commit(batch).await?;
        self.finish().await
    }

    /// Tells the chains that have not heard of the last rotation.
    pub async fn finish(&self) -> Result<Rotated> {
        let rotation = self.ports.signer.ring().rotations.last().cloned();
        let mut told = 0;
        if let Some(rotation) = &rotation {
            let mut after = None;
            loop {
                let scopes = self.ports.chains.list_chains(after, AT_ONCE).await?;
                let Some(last) = scopes.last() else { break };
                after = Some(*last);
                for scope in scopes {
                    told += u64::from(self.tell(scope, rotation).await?);
                }
            }
        }
        Ok(Rotated { rotation, chains: told })
    }

    async fn tell(&self, scope: Scope, rotation: &Rotation) -> Result<bool> {
        let known = self.ports.chains.find_entries(scope, &[rotation.to.id()]).await?;
        if !known.is_empty() {
            return Ok(false);
        }
        let entry = Op::KeyRotate(Arc::new(rotation.clone()));
        self.ports.ledger.commit(Batch::opening(scope, Durability::Power).with([entry])).await?;
        Ok(true)
    }
}
