//! Password hashing: slow on purpose, so it is kept off the request threads.

use async_trait::async_trait;

use crate::secret::SecretString;

/// Why a password could not be hashed or compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// Too many sign-ins at once.
    #[error("too many sign-ins at once")]
    Busy,
    /// The stored hash is no hash.
    #[error("the stored hash cannot be read")]
    Unreadable,
}

/// Hashes and compares passwords with argon2id, at most one a core at once, 16 waiting.
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// A PHC string of the password under a fresh salt.
    async fn hash(&self, password: SecretString) -> Result<String, HashError>;
    /// Whether the password made the hash; takes as long with `None`, which no password matches.
    async fn verify(&self, password: SecretString, hash: Option<String>) -> Result<bool, HashError>;
    /// Whether the present settings are stronger than the hash's.
    fn needs_rehash(&self, hash: &str) -> bool;
    /// zxcvbn score of the password, 0–4, with hints it must not resemble.
    fn score(&self, password: &SecretString, hints: &[&str]) -> u8;
}
