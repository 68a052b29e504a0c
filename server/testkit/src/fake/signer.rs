//! A signer with a key that everybody knows.

use ed25519_dalek::{Signer as _, SigningKey};
use kernel::chain::{PublicKey, Signature};
use kernel::port::Signer;

/// Signs under the key of a number.
pub struct FakeSigner {
    key: SigningKey,
    keys: [PublicKey; 1],
}

impl FakeSigner {
    /// The signer of a number.
    pub fn new(number: u8) -> Self {
        let key = SigningKey::from_bytes(&[number; 32]);
        let public = PublicKey::new(key.verifying_key().to_bytes()).expect("a public key");
        Self { key, keys: [public] }
    }
}

impl Signer for FakeSigner {
    fn sign(&self, bytes: &[u8]) -> Signature {
        Signature(self.key.sign(bytes).to_bytes())
    }

    fn keys(&self) -> &[PublicKey] {
        &self.keys
    }
}
