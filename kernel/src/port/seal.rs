//! Sealing secrets before they reach the store. Opening is no port: only the outbound adapter can.

use types::id::SecretId;

use crate::context::Scope;
use crate::secret::{Sealed, SecretString};

/// Why a secret cannot be sealed or opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// No key with the id is configured.
    #[error("key `{0}` is not configured")]
    UnknownKey(String),
    /// The ciphertext does not belong to this id and version, or was altered.
    #[error("the secret cannot be opened")]
    Unreadable,
}

/// Seals values under the deployment's key, bound to where they belong.
pub trait Sealer: Send + Sync {
    /// Seals a value for an id and version of it.
    fn seal(&self, scope: Scope, id: SecretId, version: u32, value: &SecretString) -> Result<Sealed, SealError>;
    /// Whether a sealed value of an id and version is this one. The value itself never comes back.
    fn holds(&self, scope: Scope, id: SecretId, version: u32, sealed: &Sealed, value: &SecretString) -> bool;
    /// Seals what only who knows `secret` can read again, bound to a name. The secret is kept nowhere.
    fn seal_under(&self, secret: &str, name: &str, value: &[u8]) -> Result<Sealed, SealError>;
    /// Opens what was sealed under a secret and a name.
    fn open_under(&self, secret: &str, name: &str, sealed: &Sealed) -> Result<Vec<u8>, SealError>;
    /// HMAC-SHA-256 of the parts under a key derived for `purpose`: cursors, throttle keys, device marks.
    fn sign(&self, purpose: &'static str, parts: &[&[u8]]) -> [u8; 32];
    /// The same under every key of the deployment, the present one first: for what was signed before a rotation.
    fn signatures(&self, purpose: &'static str, parts: &[&[u8]]) -> Vec<[u8; 32]> {
        vec![self.sign(purpose, parts)]
    }
}
