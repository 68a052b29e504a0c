//! The master keys and what is derived from them.

use chacha20poly1305::aead::{Aead, Generate, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use kernel::context::Scope;
use kernel::port::{SealError, Sealer};
use kernel::secret::{Sealed, SecretString};
use sha2::Sha256;
use types::id::SecretId;
use zeroize::Zeroizing;

/// What a derived key is for; two purposes never share a key.
mod purpose {
    pub(super) const SEAL: &[u8] = b"soit/seal/v1";
    pub(super) const UNDER: &[u8] = b"soit/under/v1";
    pub(super) const SIGN: &[u8] = b"soit/sign/v1";
    pub(super) const CHECK: &[u8] = b"soit/check/v1";
}

/// A master key of the deployment.
pub struct MasterKey {
    id: String,
    bytes: Zeroizing<Vec<u8>>,
}

impl MasterKey {
    /// Names a key: the id stands beside what it sealed.
    pub fn new(id: String, bytes: Vec<u8>) -> Self {
        Self { id, bytes: Zeroizing::new(bytes) }
    }
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MasterKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A keyring needs at least one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no master key is configured; set SECRET_KEY or SECRET_KEYS")]
pub struct NoKeys;

/// The keys of a deployment: the first seals and signs, all open.
#[derive(Debug)]
pub struct Keyring {
    first: Key,
    older: Vec<Key>,
}

impl Keyring {
    /// The keyring of these keys, the sealing one first.
    pub fn new(keys: impl IntoIterator<Item = MasterKey>) -> Result<Self, NoKeys> {
        let mut keys = keys.into_iter().map(|key| Key::new(&key));
        let first = keys.next().ok_or(NoKeys)?;
        Ok(Self { first, older: keys.collect() })
    }

    /// Tells this deployment's sealing key from others without giving it away: a fresh database remembers it.
    pub fn check_value(&self) -> [u8; 32] {
        *self.first.derive::<32>(&[purpose::CHECK])
    }

    /// Whether one of the keys is the one a database remembers. If not, its secrets cannot be opened here.
    pub fn matches(&self, check_value: &[u8]) -> bool {
        self.keys().any(|key| key.derive::<32>(&[purpose::CHECK]).as_slice() == check_value)
    }

    /// Opens a secret; it must be the one sealed for exactly this place, id and version.
    pub(crate) fn open(
        &self,
        scope: Scope,
        id: SecretId,
        version: u32,
        sealed: &Sealed,
    ) -> Result<SecretString, SealError> {
        let key = self.find(&sealed.key_id)?;
        let nonce = nonce_of(sealed)?;
        let bound = bound_to(id, version, &key.id);
        let payload = Payload { msg: &sealed.ciphertext, aad: &bound };
        let clear = key.cipher(scope).decrypt(&nonce, payload).map_err(|_| SealError::Unreadable)?;
        String::from_utf8(clear).map(SecretString::new).map_err(|error| {
            drop(Zeroizing::new(error.into_bytes()));
            SealError::Unreadable
        })
    }

    fn find(&self, id: &str) -> Result<&Key, SealError> {
        self.keys().find(|key| key.id == id).ok_or_else(|| SealError::UnknownKey(id.to_owned()))
    }

    fn keys(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.first).chain(&self.older)
    }
}

impl Sealer for Keyring {
    fn seal(&self, scope: Scope, id: SecretId, version: u32, value: &SecretString) -> Result<Sealed, SealError> {
        let key = &self.first;
        let nonce = XNonce::generate();
        let bound = bound_to(id, version, &key.id);
        let payload = Payload { msg: value.expose().as_bytes(), aad: &bound };
        let ciphertext = key.cipher(scope).encrypt(&nonce, payload).map_err(|_| SealError::Unreadable)?;
        Ok(Sealed { key_id: key.id.clone(), nonce: nonce.to_vec(), ciphertext })
    }

    fn holds(&self, scope: Scope, id: SecretId, version: u32, sealed: &Sealed, value: &SecretString) -> bool {
        // Digests under a key nobody knows: how long the comparison takes says nothing of the value.
        let digest = |value: &SecretString| self.sign("holds", &[value.expose().as_bytes()]);
        self.open(scope, id, version, sealed).is_ok_and(|present| digest(&present) == digest(value))
    }

    fn seal_under(&self, secret: &str, name: &str, value: &[u8]) -> Result<Sealed, SealError> {
        let key = &self.first;
        let nonce = XNonce::generate();
        let bound = [name.as_bytes(), key.id.as_bytes()].concat();
        let payload = Payload { msg: value, aad: &bound };
        let ciphertext = key.cipher_under(secret).encrypt(&nonce, payload).map_err(|_| SealError::Unreadable)?;
        Ok(Sealed { key_id: key.id.clone(), nonce: nonce.to_vec(), ciphertext })
    }

    fn open_under(&self, secret: &str, name: &str, sealed: &Sealed) -> Result<Vec<u8>, SealError> {
        let key = self.find(&sealed.key_id)?;
        let nonce = nonce_of(sealed)?;
        let bound = [name.as_bytes(), key.id.as_bytes()].concat();
        let payload = Payload { msg: &sealed.ciphertext, aad: &bound };
        key.cipher_under(secret).decrypt(&nonce, payload).map_err(|_| SealError::Unreadable)
    }

    fn sign(&self, purpose: &'static str, parts: &[&[u8]]) -> [u8; 32] {
        self.first.sign(purpose, parts)
    }

    fn signatures(&self, purpose: &'static str, parts: &[&[u8]]) -> Vec<[u8; 32]> {
        self.keys().map(|key| key.sign(purpose, parts)).collect()
    }
}

/// One master key, ready to derive from.
struct Key {
    id: String,
    hkdf: Hkdf<Sha256>,
}

impl Key {
    fn new(master: &MasterKey) -> Self {
        Self { id: master.id.clone(), hkdf: Hkdf::new(None, &master.bytes) }
    }

    fn cipher(&self, scope: Scope) -> XChaCha20Poly1305 {
        let (tenant, workspace) = (scope.tenant_id.as_uuid(), scope.workspace_id.as_uuid());
        let key = self.derive::<32>(&[purpose::SEAL, tenant.as_bytes(), workspace.as_bytes()]);
        XChaCha20Poly1305::new(&(*key).into())
    }

    fn sign(&self, purpose: &'static str, parts: &[&[u8]]) -> [u8; 32] {
        // As long as a block of the hash, which HMAC takes as it is.
        let key = self.derive::<64>(&[purpose::SIGN, purpose.as_bytes()]);
        let mut hmac = <Hmac<Sha256> as KeyInit>::new(&(*key).into());
        for part in parts {
            // Lengths, so that ["ab", "c"] and ["a", "bc"] differ.
            hmac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hmac.update(part);
        }
        hmac.finalize().into_bytes().into()
    }

    /// The cipher of who knows a secret.
    fn cipher_under(&self, secret: &str) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&(*self.derive::<32>(&[purpose::UNDER, secret.as_bytes()])).into())
    }

    fn derive<const N: usize>(&self, info: &[&[u8]]) -> Zeroizing<[u8; N]> {
        const { assert!(N <= 64) };
        let mut key = Zeroizing::new([0; N]);
        #[expect(clippy::expect_used, reason = "HKDF-SHA-256 gives up to 8160 bytes")]
        self.hkdf.expand_multi_info(info, key.as_mut_slice()).expect("at most 64 bytes");
        key
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("id", &self.id).finish_non_exhaustive()
    }
}

fn nonce_of(sealed: &Sealed) -> Result<XNonce, SealError> {
    let nonce: [u8; 24] = sealed.nonce.as_slice().try_into().map_err(|_| SealError::Unreadable)?;
    Ok(XNonce::from(nonce))
}

/// What a ciphertext is bound to, so that a row copied elsewhere does not open.
fn bound_to(id: SecretId, version: u32, key_id: &str) -> Vec<u8> {
    [id.as_uuid().as_bytes().as_slice(), &version.to_be_bytes(), key_id.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::id::{TenantId, Uuid, WorkspaceId};

    use super::*;

    fn scope(tenant: u128, workspace: u128) -> Scope {
        Scope {
            tenant_id: TenantId::from_uuid(Uuid::from_u128(tenant)),
            workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(workspace)),
        }
    }

    fn secret(id: u128) -> SecretId {
        SecretId::from_uuid(Uuid::from_u128(id))
    }

    fn key(id: &str) -> MasterKey {
        MasterKey::new(id.to_owned(), format!("master key of the test called {id}").into_bytes())
    }

    fn keyring(ids: &[&str]) -> Keyring {
        Keyring::new(ids.iter().map(|id| key(id))).unwrap()
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens(text in "\\PC{0,200}") {
            let keys = keyring(&["new", "old"]);
            let value = SecretString::new(text.clone());
            let sealed = keys.seal(scope(1, 2), secret(3), 4, &value).unwrap();
            let opened = keys.open(scope(1, 2), secret(3), 4, &sealed).unwrap();
            prop_assert_eq!(opened.expose(), &text);
            prop_assert!(keys.holds(scope(1, 2), secret(3), 4, &sealed, &value));
            let other = SecretString::new(text + "x");
            prop_assert!(!keys.holds(scope(1, 2), secret(3), 4, &sealed, &other));
            prop_assert!(!keys.holds(scope(1, 2), secret(3), 5, &sealed, &value), "another version");
            prop_assert_eq!(sealed.nonce.len(), 24);
        }
    }

    #[test]
    fn what_is_sealed_under_a_secret_opens_for_who_knows_it() {
        let keys = keyring(&["new", "old"]);
        let sealed = keys.seal_under("a-key", "tenant/workspace", b"the answer").unwrap();
        assert_eq!(keys.open_under("a-key", "tenant/workspace", &sealed).unwrap(), b"the answer");
        let other = keyring(&["other"]);
        for failed in [
            keys.open_under("b-key", "tenant/workspace", &sealed),
            keys.open_under("a-key", "tenant/elsewhere", &sealed),
            keys.open_under("a-key", "tenant/workspace", &Sealed { nonce: Vec::new(), ..sealed.clone() }),
        ] {
            assert_eq!(failed.unwrap_err(), SealError::Unreadable);
        }
        assert!(matches!(other.open_under("a-key", "tenant/workspace", &sealed), Err(SealError::UnknownKey(_))));
        let after = keyring(&["newer", "new"]);
        assert_eq!(after.open_under("a-key", "tenant/workspace", &sealed).unwrap(), b"the answer", "after a rotation");
    }

    #[test]
    fn a_row_that_was_copied_or_altered_does_not_open() {
        let keys = keyring(&["new", "old"]);
        let sealed = keys.seal(scope(1, 2), secret(3), 4, &SecretString::new("sk-credential".to_owned())).unwrap();
        let fails = |scope, id, version, sealed: &Sealed| {
            assert_eq!(keys.open(scope, id, version, sealed).unwrap_err(), SealError::Unreadable);
        };
        fails(scope(9, 2), secret(3), 4, &sealed);
        fails(scope(1, 9), secret(3), 4, &sealed);
        fails(scope(1, 2), secret(9), 4, &sealed);
        fails(scope(1, 2), secret(3), 5, &sealed);
        fails(scope(1, 2), secret(3), 4, &Sealed { key_id: "old".to_owned(), ..sealed.clone() });
        fails(scope(1, 2), secret(3), 4, &Sealed { nonce: Vec::new(), ..sealed.clone() });
        for index in 0..sealed.ciphertext.len() {
            let mut altered = sealed.clone();
            altered.ciphertext[index] ^= 1;
            fails(scope(1, 2), secret(3), 4, &altered);
        }
    }

    #[test]
    fn older_keys_open_and_strange_ones_are_named() {
        let sealed = keyring(&["old"]).seal(scope(1, 2), secret(3), 1, &SecretString::new("value".to_owned())).unwrap();
        let rotated = keyring(&["new", "old"]);
        assert_eq!(rotated.open(scope(1, 2), secret(3), 1, &sealed).unwrap().expose(), "value");
        assert_eq!(Keyring::new([]).unwrap_err(), NoKeys);
        let stranger = keyring(&["new"]);
        let error = stranger.open(scope(1, 2), secret(3), 1, &sealed).unwrap_err();
        assert_eq!(error, SealError::UnknownKey("old".to_owned()));
    }

    #[test]
    fn a_database_knows_its_keys() {
        let remembered = keyring(&["old"]).check_value();
        assert!(keyring(&["new", "old"]).matches(&remembered));
        assert!(!keyring(&["new"]).matches(&remembered));
        assert!(!keyring(&["old"]).matches(&[]));
    }

    #[test]
    fn signatures_differ_by_purpose_and_by_where_parts_end() {
        let keys = keyring(&["new"]);
        let signed = keys.sign("cursor", &[b"ab", b"c"]);
        assert_eq!(signed, keys.sign("cursor", &[b"ab", b"c"]));
        assert_ne!(signed, keys.sign("cursor", &[b"a", b"bc"]));
        assert_ne!(signed, keys.sign("device", &[b"ab", b"c"]));
        assert_ne!(signed, keyring(&["other"]).sign("cursor", &[b"ab", b"c"]));
        let after = keyring(&["newer", "new"]).signatures("cursor", &[b"ab", b"c"]);
        assert_eq!((after.len(), after.contains(&signed)), (2, true), "what was signed before a rotation is known");
    }

    #[test]
    fn debug_shows_no_key() {
        let keys = keyring(&["new", "old"]);
        let shown = format!("{keys:?} {:?}", key("new"));
        assert!(shown.contains("new") && !shown.contains("master"), "{shown}");
    }
}
