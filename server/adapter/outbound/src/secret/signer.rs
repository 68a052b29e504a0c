//! The deployment's signing keys: Ed25519, sealed in the database, opened at the start and after a rotation.

use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};
use ed25519_dalek::{Signer as _, SigningKey};
use kernel::chain::{KeyRing, PublicKey, Rotation, SealedKey, Signature};
use kernel::port::{SealError, Sealer, Signer};
use zeroize::Zeroizing;

use super::Keyring;

/// What a signing key is sealed under, besides the master key and its own name.
const SEALED_UNDER: &str = "soit/signing/v1";

/// Signs checkpoints and evidence.
pub struct Ed25519Signer(RwLock<Held>);

/// The keys, the present one first.
struct Held {
    keys: Vec<SigningKey>,
    ring: Arc<KeyRing>,
}

impl Ed25519Signer {
    /// Opens the keys of a deployment, the one that signs first. Public keys follow from what was sealed: a row that names
    /// another one does not count.
    pub fn open(keyring: &Keyring, sealed: &[SealedKey]) -> Result<Self, SealError> {
        Held::open(keyring, sealed).map(|held| Self(RwLock::new(held)))
    }

    /// Takes other keys in place of those it has.
    pub fn reopen(&self, keyring: &Keyring, sealed: &[SealedKey]) -> Result<(), SealError> {
        let held = Held::open(keyring, sealed)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = held;
        Ok(())
    }

    /// Seals a new key made of random bytes, the first of its deployment.
    pub fn seal_first(keyring: &Keyring, seed: [u8; 32]) -> Result<SealedKey, SealError> {
        seal(keyring, 1, &Zeroizing::new(seed), None)
    }

    /// Seals a new key made of random bytes that follows the present one, which is of the number before.
    pub fn seal_next(
        &self,
        keyring: &Keyring,
        number: u64,
        seed: [u8; 32],
        at: DateTime<Utc>,
    ) -> Result<(SealedKey, Rotation), SealError> {
        let seed = Zeroizing::new(seed);
        let next = SigningKey::from_bytes(&seed);
        let rotation = {
            let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
            let present = held.keys.first().ok_or(SealError::Unreadable)?;
            let (from, to) = (public(present), public(&next));
            let body = Rotation::body(&from, &to, at);
            let sign = |key: &SigningKey| Signature(key.sign(&body).to_bytes());
            Rotation { from, to, rotated_at: at, from_signature: sign(present), to_signature: sign(&next) }
        };
        Ok((seal(keyring, number, &seed, Some(rotation.text()))?, rotation))
    }
}

impl Held {
    fn open(keyring: &Keyring, sealed: &[SealedKey]) -> Result<Self, SealError> {
        let keys: Vec<SigningKey> = sealed.iter().map(|key| open(keyring, key)).collect::<Result<_, _>>()?;
        let public: Vec<PublicKey> = keys.iter().map(public).collect();
        let mut rotations = Vec::new();
        for (key, (to, from)) in sealed.iter().zip(public.iter().zip(public.iter().skip(1))) {
            let rotation = key.rotation.as_deref().and_then(Rotation::read);
            let fitting = rotation.filter(|rotation| rotation.from == *from && rotation.to == *to);
            rotations.push(fitting.ok_or(SealError::Unreadable)?);
        }
        rotations.reverse();
        if keys.is_empty() {
            return Err(SealError::Unreadable);
        }
        Ok(Self { keys, ring: Arc::new(KeyRing { keys: public, rotations }) })
    }
}

impl Signer for Ed25519Signer {
    fn ring(&self) -> Arc<KeyRing> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner).ring)
    }

    fn sign(&self, key: &PublicKey, bytes: &[u8]) -> Option<Signature> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let own = held.keys.iter().find(|own| public(own) == *key)?;
        Some(Signature(own.sign(bytes).to_bytes()))
    }
}

impl std::fmt::Debug for Ed25519Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ed25519Signer").field("ring", &self.ring()).finish_non_exhaustive()
    }
}

fn seal(
    keyring: &Keyring,
    number: u64,
    seed: &Zeroizing<[u8; 32]>,
    rotation: Option<String>,
) -> Result<SealedKey, SealError> {
    let key_id = public(&SigningKey::from_bytes(seed)).id();
    let sealed = keyring.seal_under(SEALED_UNDER, &key_id, seed.as_slice())?;
    Ok(SealedKey { number, key_id, sealed, rotation })
}

fn open(keyring: &Keyring, key: &SealedKey) -> Result<SigningKey, SealError> {
    let clear = Zeroizing::new(keyring.open_under(SEALED_UNDER, &key.key_id, &key.sealed)?);
    let seed = Zeroizing::new(<[u8; 32]>::try_from(clear.as_slice()).map_err(|_| SealError::Unreadable)?);
    let opened = SigningKey::from_bytes(&seed);
    if public(&opened).id() == key.key_id { Ok(opened) } else { Err(SealError::Unreadable) }
}

#[expect(clippy::expect_used, reason = "the public half of a signing key is a public key")]
fn public(key: &SigningKey) -> PublicKey {
    PublicKey::new(key.verifying_key().to_bytes()).expect("a public key")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;

    fn keyring(ids: &[&str]) -> Keyring {
        Keyring::new(ids.iter().map(|id| MasterKey::new((*id).to_owned(), id.as_bytes().to_vec()))).unwrap()
    }

    #[test]
    fn a_key_signs_after_a_restart_and_a_rotation_of_the_master_key_as_before() {
        let sealed = Ed25519Signer::seal_first(&keyring(&["one"]), [7; 32]).unwrap();
        let signer = Ed25519Signer::open(&keyring(&["one"]), std::slice::from_ref(&sealed)).unwrap();
        let ring = signer.ring();
        let [key] = ring.keys.as_slice() else { panic!("one key: {signer:?}") };
        assert_eq!(key.id(), sealed.key_id);
        let signature = signer.sign(key, b"a checkpoint").unwrap();
        assert!(key.verifies(b"a checkpoint", &signature));
        assert!(!key.verifies(b"another", &signature));
        let rotated = Ed25519Signer::open(&keyring(&["two", "one"]), std::slice::from_ref(&sealed)).unwrap();
        assert_eq!(rotated.sign(key, b"a checkpoint"), Some(signature));
        let stranger = Ed25519Signer::open(&keyring(&["two"]), &[sealed]);
        assert_eq!(stranger.unwrap_err(), SealError::UnknownKey("one".to_owned()));
    }

    #[test]
    fn a_row_under_another_name_does_not_open() {
        let keys = keyring(&["one"]);
        let sealed = Ed25519Signer::seal_first(&keys, [7; 32]).unwrap();
        let renamed = SealedKey { key_id: "key_0000000000000000".to_owned(), ..sealed };
        assert_eq!(Ed25519Signer::open(&keys, &[renamed]).unwrap_err(), SealError::Unreadable);
        assert_eq!(Ed25519Signer::open(&keys, &[]).unwrap_err(), SealError::Unreadable);
    }

    #[test]
    fn a_key_that_follows_signs_and_the_one_before_is_known() {
        let keys = keyring(&["one"]);
        let first = Ed25519Signer::seal_first(&keys, [7; 32]).unwrap();
        let signer = Ed25519Signer::open(&keys, std::slice::from_ref(&first)).unwrap();
        let before = *signer.ring().present().unwrap();
        let at = "2026-03-01T00:00:00Z".parse().unwrap();
        let (second, rotation) = signer.seal_next(&keys, 2, [8; 32], at).unwrap();
        assert!(rotation.is_signed());
        assert_eq!((rotation.from, rotation.to.id()), (before, second.key_id.clone()));
        signer.reopen(&keys, &[second.clone(), first.clone()]).unwrap();
        let ring = signer.ring();
        assert_eq!((&ring.keys[..], &ring.rotations[..]), (&[rotation.to, before][..], &[rotation][..]));
        let signature = signer.sign(&before, b"x").expect("the key before signs what it began");
        assert!(before.verifies(b"x", &signature));
        // What does not say how it followed, or says it of another key, is not opened.
        for wrong in [None, Some("{}".to_owned()), Some(ring.rotations[0].text().replace("2026", "2027"))] {
            let wrong = SealedKey { rotation: wrong, ..second.clone() };
            assert_eq!(Ed25519Signer::open(&keys, &[wrong, first.clone()]).unwrap_err(), SealError::Unreadable);
        }
    }
}
