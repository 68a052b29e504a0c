//! The signing keys of the deployment: opened at the start, made anew on demand, learned of when others made one.

use std::sync::Arc;

use adapter_outbound::{Ed25519Signer, Keyring};
use adapter_store::Store;
use anyhow::Context;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::chain::Rotation;
use kernel::port::{Ids, KeyKeeper, SealError, Signer, StoreError};

/// Keeps signing keys in the store, sealed under the keyring.
pub(super) struct SigningKeys {
    keyring: Arc<Keyring>,
    store: Store,
    ids: Arc<dyn Ids>,
    signer: Arc<Ed25519Signer>,
}

impl SigningKeys {
    /// Opens the keys; a fresh database gets its first one.
    pub(super) async fn open(keyring: Arc<Keyring>, store: Store, ids: Arc<dyn Ids>) -> anyhow::Result<Self> {
        let mut keys = store.signing_keys().await?;
        if keys.is_empty() {
            let mut seed = [0; 32];
            ids.random(&mut seed);
            store.keep_signing_key(&Ed25519Signer::seal_first(&keyring, seed)?).await?;
            // Of two processes that start at once the first one's counts.
            keys = store.signing_keys().await?;
        }
        let signer = Ed25519Signer::open(&keyring, &keys);
        let signer = signer.context("a signing key of this database cannot be opened with SECRET_KEY")?;
        Ok(Self { keyring, store, ids, signer: Arc::new(signer) })
    }

    /// What signs under them.
    pub(super) fn signer(&self) -> Arc<dyn Signer> {
        self.signer.clone()
    }
}

#[async_trait]
impl KeyKeeper for SigningKeys {
    async fn rotate(&self, at: DateTime<Utc>) -> Result<Rotation, StoreError> {
        self.refresh().await?;
        let last = self.store.signing_keys().await?.first().map_or(0, |key| key.number);
        let mut seed = [0; 32];
        self.ids.random(&mut seed);
        let (key, rotation) = self.signer.seal_next(&self.keyring, last + 1, seed, at).map_err(unusable)?;
        self.store.keep_signing_key(&key).await?;
        self.refresh().await?;
        if self.signer.ring().present() != Some(&rotation.to) {
            let detail = "somebody else made a signing key at the same moment, and that one counts";
            return Err(StoreError::Internal(detail.to_owned()));
        }
        Ok(rotation)
    }

    async fn refresh(&self) -> Result<(), StoreError> {
        let keys = self.store.signing_keys().await?;
        let present = self.signer.ring().present().map(kernel::chain::PublicKey::id);
        if keys.first().map(|key| &key.key_id) == present.as_ref() {
            return Ok(());
        }
        self.signer.reopen(&self.keyring, &keys).map_err(unusable)
    }
}

fn unusable(error: SealError) -> StoreError {
    StoreError::Internal(format!("a signing key cannot be used: {error}"))
}
