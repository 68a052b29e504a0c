//! Public keys that checkpoints and bundles are signed for. Signing itself is the port `Signer`.

use std::fmt::{Display, Formatter};
use std::str::FromStr;

use ed25519_dalek::VerifyingKey;

use super::Hash;
use super::checkpoint::Signature;
use super::hash::{bytes_of, hex};
use crate::secret::Sealed;

/// An Ed25519 public key; its text is 64 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

/// A signing key as the store keeps it: sealed. Only the outbound adapter opens one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedKey {
    /// The highest signs.
    pub number: u64,
    /// Name of its public key.
    pub key_id: String,
    /// The key.
    pub sealed: Sealed,
    /// How it followed the one before, as [`Rotation::text`](super::Rotation::text) writes it; none of the first one.
    pub rotation: Option<String>,
}

/// A text that is no public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an Ed25519 public key in 64 lower-case hex digits")]
pub struct NoKey;

impl PublicKey {
    /// A key of these bytes, if they are one.
    pub fn new(bytes: [u8; 32]) -> Result<Self, NoKey> {
        VerifyingKey::from_bytes(&bytes).map(|_| Self(bytes)).map_err(|_| NoKey)
    }

    /// Its name, which follows from the key: `key_` and 16 hex digits of its SHA-256.
    pub fn id(&self) -> String {
        let hash = Hash::of(&[&self.0]).to_string();
        format!("key_{}", hash.get(..16).unwrap_or_default())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether a signature of these bytes is this key's.
    pub fn verifies(&self, bytes: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
        VerifyingKey::from_bytes(&self.0).is_ok_and(|key| key.verify_strict(bytes, &signature).is_ok())
    }
}

impl Display for PublicKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl FromStr for PublicKey {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<Self, NoKey> {
        bytes_of(text).ok_or(NoKey).and_then(Self::new)
    }
}
