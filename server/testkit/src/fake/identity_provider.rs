//! An identity provider in memory. Its tokens are its claims behind the name of a key; what is scripted is what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use kernel::policy::Permit;
use kernel::port::{CodeExchange, Described, IdentityProvider, ProviderError, ProviderKeys, ProviderRead, TokenError};
use kernel::secret::SecretString;
use serde_json::Value;

const DESCRIPTION: &str = "/.well-known/openid-configuration";

/// An identity provider.
#[derive(Debug)]
pub struct FakeIdentityProvider(Mutex<Script>);

#[derive(Debug)]
struct Script {
    /// The keys it has; the last one signs.
    keys: Vec<String>,
    /// What a code is traded for, once.
    codes: BTreeMap<String, Value>,
    /// Verifiers it was given.
    verifiers: BTreeSet<String>,
    is_down: bool,
    /// How often its keys were read.
    key_reads: usize,
}

impl Default for FakeIdentityProvider {
    fn default() -> Self {
        Self(Mutex::new(Script {
            keys: vec!["k1".to_owned()],
            codes: BTreeMap::new(),
            verifiers: BTreeSet::new(),
            is_down: false,
            key_reads: 0,
        }))
    }
}

impl FakeIdentityProvider {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.0.lock().expect("no panic before")
    }

    /// Says these claims for a code.
    pub fn answer(&self, code: &str, claims: Value) {
        self.script().codes.insert(code.to_owned(), claims);
    }

    /// Signs with another key from now on; the ones before are gone.
    pub fn rotate(&self, key: &str) {
        self.script().keys = vec![key.to_owned()];
    }

    /// Does not answer, or does again.
    pub fn set_down(&self, is_down: bool) {
        self.script().is_down = is_down;
    }

    /// How often its keys were read.
    pub fn key_reads(&self) -> usize {
        self.script().key_reads
    }

    /// Whether it was ever given a verifier.
    pub fn was_given(&self, verifier: &str) -> bool {
        self.script().verifiers.contains(verifier)
    }

    /// A token of these claims.
    pub fn sign(&self, claims: &Value) -> SecretString {
        SecretString::new(format!("{}\n{claims}", self.script().keys.last().map_or("", String::as_str)))
    }
}

fn down() -> ProviderError {
    ProviderError::Unreachable("it is down".to_owned())
}

#[async_trait]
impl IdentityProvider for FakeIdentityProvider {
    async fn describe(&self, permit: Permit<ProviderRead>) -> Result<Described, ProviderError> {
        if self.script().is_down {
            return Err(down());
        }
        let url = permit.into_call().target.url().to_string();
        let issuer = url.strip_suffix(DESCRIPTION).unwrap_or(&url).to_owned();
        Ok(Described {
            authorization_endpoint: format!("{issuer}/authorize?tenant=1"),
            token_endpoint: format!("{issuer}/token"),
            jwks_uri: format!("{issuer}/keys"),
            issuer,
            wants_secret_in_body: false,
            names_itself: false,
            tells_logout: true,
        })
    }

    async fn read_keys(&self, _: Permit<ProviderRead>) -> Result<ProviderKeys, ProviderError> {
        let mut script = self.script();
        if script.is_down {
            return Err(down());
        }
        script.key_reads += 1;
        Ok(ProviderKeys(script.keys.join(" ").into()))
    }

    async fn exchange(&self, permit: Permit<CodeExchange>) -> Result<SecretString, ProviderError> {
        let exchange = permit.into_call();
        let claims = {
            let mut script = self.script();
            if script.is_down {
                return Err(down());
            }
            script.verifiers.insert(exchange.verifier.expose().to_owned());
            script.codes.remove(exchange.code.expose())
        };
        claims.map(|claims| self.sign(&claims)).ok_or_else(|| ProviderError::Refused("invalid_grant".to_owned()))
    }

    fn claims(&self, token: &SecretString, keys: &ProviderKeys) -> Result<Value, TokenError> {
        let (key, claims) = token.expose().split_once('\n').ok_or(TokenError::Malformed)?;
        if !keys.0.split(' ').any(|known| known == key) {
            return Err(TokenError::UnknownKey);
        }
        serde_json::from_str(claims).map_err(|_| TokenError::Malformed)
    }
}
