//! The deployment's signing key: Ed25519, sealed in the database, opened once at the start.

use ed25519_dalek::{Signer as _, SigningKey};
use kernel::chain::{PublicKey, SealedKey, Signature};
use kernel::port::{SealError, Sealer, Signer};
use zeroize::Zeroizing;

use super::Keyring;

/// What a signing key is sealed under, besides the master key and its own name.
const SEALED_UNDER: &str = "soit/signing/v1";

/// Signs checkpoints and evidence.
pub struct Ed25519Signer {
    present: SigningKey,
    keys: Vec<PublicKey>,
}

impl Ed25519Signer {
    /// Opens the keys of a deployment, the one that signs first. Public keys follow from what was sealed: a row that names
    /// another one does not count.
    pub fn open(keyring: &Keyring, sealed: &[SealedKey]) -> Result<Self, SealError> {
        let opened: Vec<SigningKey> = sealed.iter().map(|key| open(keyring, key)).collect::<Result<_, _>>()?;
        let keys = opened.iter().map(public).collect();
        let present = opened.into_iter().next().ok_or(SealError::Unreadable)?;
        Ok(Self { present, keys })
    }

    /// Seals a new key made of random bytes, the first of its deployment.
    pub fn seal_first(keyring: &Keyring, seed: [u8; 32]) -> Result<SealedKey, SealError> {
        let seed = Zeroizing::new(seed);
        let key_id = public(&SigningKey::from_bytes(&seed)).id();
        let sealed = keyring.seal_under(SEALED_UNDER, &key_id, seed.as_slice())?;
        Ok(SealedKey { number: 1, key_id, sealed })
    }
}

impl Signer for Ed25519Signer {
    fn sign(&self, bytes: &[u8]) -> Signature {
        Signature(self.present.sign(bytes).to_bytes())
    }

    fn keys(&self) -> &[PublicKey] {
        &self.keys
    }
}

impl std::fmt::Debug for Ed25519Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ed25519Signer").field("keys", &self.keys).finish_non_exhaustive()
    }
}

fn open(keyring: &Keyring, key: &SealedKey) -> Result<SigningKey, SealError> {
    let clear = Zeroizing::new(keyring.open_under(SEALED_UNDER, &key.key_id, &key.sealed)?);
    let seed = Zeroizing::new(<[u8; 32]>::try_from(clear.as_slice()).map_err(|_| SealError::Unreadable)?);
    Ok(SigningKey::from_bytes(&seed))
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
        let [key] = signer.keys() else { panic!("one key: {signer:?}") };
        assert_eq!(key.id(), sealed.key_id);
        let signature = signer.sign(b"a checkpoint");
        assert!(key.verifies(b"a checkpoint", &signature));
        assert!(!key.verifies(b"another", &signature));
        let rotated = Ed25519Signer::open(&keyring(&["two", "one"]), std::slice::from_ref(&sealed)).unwrap();
        assert_eq!(rotated.sign(b"a checkpoint"), signature);
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
}
