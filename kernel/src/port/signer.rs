//! Signing checkpoints and evidence. Checking a signature is no port: [`PublicKey`] does.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::StoreError;
use crate::chain::{KeyRing, PublicKey, Rotation, Signature};

/// Signs under the deployment's keys.
pub trait Signer: Send + Sync {
    /// The keys as this process knows them; they may be others after a rotation.
    fn ring(&self) -> Arc<KeyRing>;
    /// Signs bytes by one of them; nothing where it is none.
    fn sign(&self, key: &PublicKey, bytes: &[u8]) -> Option<Signature>;
}

/// Makes signing keys, and keeps them sealed.
#[async_trait]
pub trait KeyKeeper: Send + Sync {
    /// Makes a key that follows the present one and signs from now on.
    async fn rotate(&self, at: DateTime<Utc>) -> Result<Rotation, StoreError>;
    /// Learns of keys that others made.
    async fn refresh(&self) -> Result<(), StoreError>;
}
