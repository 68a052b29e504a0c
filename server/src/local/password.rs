//! Password hashing off the request threads, and never more of it than the machine can bear.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use async_trait::async_trait;
use kernel::port::{HashError, PasswordHasher};
use kernel::secret::SecretString;
use tokio::sync::Semaphore;

/// Hashes that may wait for a core; more are refused.
const QUEUE: usize = 16;

/// argon2id, unless told otherwise with 19456 KiB, 2 passes, 1 lane; one hash a core at once.
#[derive(Clone, Debug)]
pub struct Argon2Hasher {
    params: Params,
    cores: Arc<Semaphore>,
    admitted: Arc<Semaphore>,
    /// The hash of no account: comparing with it takes as long as comparing with a real one.
    nobody: Arc<OnceLock<String>>,
}

impl Default for Argon2Hasher {
    fn default() -> Self {
        Self::with(Params::default())
    }
}

impl Argon2Hasher {
    /// With this much memory (KiB), so many passes and lanes.
    pub fn new(memory_kib: u32, passes: u32, lanes: u32) -> Result<Self, argon2::Error> {
        Params::new(memory_kib, passes, lanes, None).map(Self::with)
    }

    fn with(params: Params) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            params,
            cores: Arc::new(Semaphore::new(cores)),
            admitted: Arc::new(Semaphore::new(cores + QUEUE)),
            nobody: Arc::default(),
        }
    }

    /// Runs slow work on the blocking pool, when its turn comes.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, HashError> {
        let _admitted = self.admitted.try_acquire().map_err(|_| HashError::Busy)?;
        let core = Arc::clone(&self.cores).acquire_owned().await.map_err(|_| HashError::Busy)?;
        let slow = move || {
            // The core is busy until the work ends, also when nobody waits for it any more.
            let _core = core;
            work()
        };
        tokio::task::spawn_blocking(slow).await.map_err(|_| HashError::Busy)
    }
}

#[async_trait]
impl PasswordHasher for Argon2Hasher {
    async fn hash(&self, password: SecretString) -> Result<String, HashError> {
        let params = self.params.clone();
        self.run(move || hash(params, &password)).await?
    }

    async fn verify(&self, password: SecretString, stored: Option<String>) -> Result<bool, HashError> {
        let (params, nobody) = (self.params.clone(), Arc::clone(&self.nobody));
        self.run(move || match stored {
            Some(stored) => matches(&password, &stored),
            None => hash_of_nobody(params, &nobody).and_then(|stored| matches(&password, stored)).map(|_| false),
        })
        .await?
    }

    fn needs_rehash(&self, stored: &str) -> bool {
        let Ok(parsed) = PasswordHash::new(stored) else { return true };
        let weaker = |params: Params| params.m_cost() < self.params.m_cost() || params.t_cost() < self.params.t_cost();
        parsed.algorithm != Algorithm::Argon2id.ident() || Params::try_from(&parsed).map_or(true, weaker)
    }

    fn score(&self, password: &SecretString, hints: &[&str]) -> u8 {
        zxcvbn::zxcvbn(password.expose(), hints).score().into()
    }
}

fn hash(params: Params, password: &SecretString) -> Result<String, HashError> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::default(), params);
    let hash: PasswordHash = argon2.hash_password(password.expose().as_bytes()).map_err(|_| HashError::Unreadable)?;
    Ok(hash.to_string())
}

fn matches(password: &SecretString, stored: &str) -> Result<bool, HashError> {
    let stored = PasswordHash::new(stored).map_err(|_| HashError::Unreadable)?;
    Ok(Argon2::default().verify_password(password.expose().as_bytes(), &stored).is_ok())
}

fn hash_of_nobody(params: Params, kept: &OnceLock<String>) -> Result<&str, HashError> {
    if let Some(stored) = kept.get() {
        return Ok(stored);
    }
    let made = hash(params, &SecretString::new("nobody".to_owned()))?;
    Ok(kept.get_or_init(|| made))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> SecretString {
        SecretString::new(text.to_owned())
    }

    #[tokio::test]
    async fn a_password_opens_its_own_hash_only() {
        let hasher = Argon2Hasher::default();
        let stored = hasher.hash(secret("correct horse")).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert_eq!(hasher.verify(secret("correct horse"), Some(stored.clone())).await, Ok(true));
        assert_eq!(hasher.verify(secret("wrong horse"), Some(stored.clone())).await, Ok(false));
        assert_eq!(hasher.verify(secret("nobody"), None).await, Ok(false));
        assert!(!hasher.needs_rehash(&stored));
        assert!(hasher.needs_rehash(&stored.replace("t=2", "t=1")));
    }

    #[tokio::test]
    async fn stronger_settings_hash_anew_and_weaker_ones_do_not() {
        let (usual, strong) = (Argon2Hasher::default(), Argon2Hasher::new(19_456, 3, 1).unwrap());
        let (weak, stored) = (usual.hash(secret("x")).await.unwrap(), strong.hash(secret("x")).await.unwrap());
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=3,p=1$"), "{stored}");
        assert!(strong.needs_rehash(&weak) && !strong.needs_rehash(&stored) && !usual.needs_rehash(&stored));
        assert_eq!(strong.verify(secret("x"), Some(weak)).await, Ok(true));
    }

    #[tokio::test]
    async fn a_flood_of_sign_ins_is_refused_not_queued() {
        let hasher = Argon2Hasher::default();
        let held = hasher.admitted.available_permits();
        let _all = hasher.admitted.acquire_many(u32::try_from(held).unwrap()).await.unwrap();
        assert_eq!(hasher.hash(secret("x")).await, Err(HashError::Busy));
    }

    #[test]
    fn scores_know_the_person() {
        let hasher = Argon2Hasher::default();
        assert!(hasher.score(&secret("correct horse battery staple"), &[]) >= 3);
        assert!(
            hasher.score(&secret("margaret.hamilton"), &["margaret.hamilton@example.com", "margaret.hamilton"]) < 3
        );
    }
}
