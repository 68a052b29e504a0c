//! Text that must not be shown: zeroed when dropped, hidden in `Debug`, without serde.

use zeroize::Zeroizing;

/// A secret in clear. Exists at the door that received it and in the adapter that uses it, nowhere else.
#[derive(Clone)]
pub struct SecretString(Zeroizing<String>);

impl SecretString {
    /// Takes the text over.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text; every use of this is a place to review.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for SecretString {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl std::fmt::Debug for SecretString {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretString(…)")
    }
}

/// A secret as the store keeps it: ciphertext, bound to its id and version.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Which key sealed it.
    pub key_id: String,
    /// 24 random bytes.
    pub nonce: Vec<u8>,
    /// XChaCha20-Poly1305 output.
    pub ciphertext: Vec<u8>,
}

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealed").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}
