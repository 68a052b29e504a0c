//! What making a key, or giving it a new secret, answers.

use types::key::{ApiKey, IssuedApiKey};
use types::problem::Code;

use crate::error::{Error, Result};
use crate::secret::SecretString;

/// A key with its new secret, which is kept nowhere.
#[derive(Debug)]
pub struct Issued {
    /// The key.
    pub item: ApiKey,
    /// The secret; none where the same form was answered before.
    pub secret: Option<SecretString>,
}

impl Issued {
    pub(super) fn new(item: ApiKey, secret: SecretString) -> Self {
        Self { item, secret: Some(secret) }
    }

    pub(super) fn before(item: ApiKey) -> Self {
        Self { item, secret: None }
    }

    /// The answer that shows the secret.
    pub fn shown(self) -> Result<IssuedApiKey> {
        let secret = self.secret.ok_or_else(|| {
            Error::new(Code::AlreadyExists, "its secret was shown before, rotate the key to have a new one")
        })?;
        Ok(IssuedApiKey { item: self.item, api_key: secret.expose().to_owned() })
    }
}
