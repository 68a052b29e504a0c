//! Signing checkpoints and evidence. Checking a signature is no port: [`PublicKey`] does.

use crate::chain::{PublicKey, Signature};

/// Signs under the deployment's key.
pub trait Signer: Send + Sync {
    /// Signs bytes.
    fn sign(&self, bytes: &[u8]) -> Signature;
    /// Every key there was, the one that signs first.
    fn keys(&self) -> &[PublicKey];
}
