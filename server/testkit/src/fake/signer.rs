//! A signer with keys that everybody knows.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ed25519_dalek::{Signer as _, SigningKey};
use kernel::chain::{KeyRing, PublicKey, Rotation, Signature};
use kernel::port::{KeyKeeper, Signer, StoreError};

/// Signs under the keys of numbers, the last one's first.
pub struct FakeSigner {
    numbers: Mutex<Vec<u8>>,
    ring: Mutex<Arc<KeyRing>>,
}

impl FakeSigner {
    /// The signer of a number.
    pub fn new(number: u8) -> Self {
        let ring = KeyRing { keys: vec![public(number)], rotations: Vec::new() };
        Self { numbers: Mutex::new(vec![number]), ring: Mutex::new(Arc::new(ring)) }
    }

    /// The public key that signs.
    pub fn key(&self) -> PublicKey {
        *self.ring().present().expect("a key")
    }

    /// Signs under the key that signs.
    pub fn signed(&self, bytes: &[u8]) -> Signature {
        self.sign(&self.key(), bytes).expect("a signature")
    }
}

fn signing(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

fn public(number: u8) -> PublicKey {
    PublicKey::new(signing(number).verifying_key().to_bytes()).expect("a public key")
}

impl Signer for FakeSigner {
    fn ring(&self) -> Arc<KeyRing> {
        Arc::clone(&self.ring.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn sign(&self, key: &PublicKey, bytes: &[u8]) -> Option<Signature> {
        let numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let own = numbers.iter().find(|number| public(**number) == *key)?;
        Some(Signature(signing(*own).sign(bytes).to_bytes()))
    }
}

#[async_trait]
impl KeyKeeper for FakeSigner {
    async fn rotate(&self, at: DateTime<Utc>) -> Result<Rotation, StoreError> {
        let from = self.key();
        let next = {
            let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
            let next = numbers.last().map_or(1, |last| last + 1);
            numbers.push(next);
            next
        };
        let to = public(next);
        let body = Rotation::body(&from, &to, at);
        let sign = |key| self.sign(key, &body).expect("a signature");
        let rotation = Rotation { from, to, rotated_at: at, from_signature: sign(&from), to_signature: sign(&to) };
        let mut ring = KeyRing::clone(&self.ring());
        ring.keys.insert(0, to);
        ring.rotations.push(rotation.clone());
        *self.ring.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(ring);
        Ok(rotation)
    }

    async fn refresh(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
