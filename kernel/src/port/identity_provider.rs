//! What identity providers are asked, each time with a permit: the address in it was judged, and is the only one that is dialed.
//!
//! Not here: whether a token's claims are believed. A provider is asked for them, `identity::sso` judges them.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use types::id::TenantId;

use crate::policy::{Permit, Pinned};
use crate::record::ClientSecret;
use crate::secret::SecretString;

/// What a provider says of itself, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Who it is.
    pub issuer: String,
    /// Where people sign in.
    pub authorization_endpoint: String,
    /// Where a code is traded.
    pub token_endpoint: String,
    /// Where its keys are.
    pub jwks_uri: String,
    /// Whether it takes the client's secret in the body alone.
    pub wants_secret_in_body: bool,
    /// Whether it names itself in what it sends back by the browser.
    pub names_itself: bool,
    /// Whether it tells of sign-outs.
    pub tells_logout: bool,
}

/// The public keys of a provider, as it sent them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderKeys(pub Arc<str>);

/// Reading a document of a provider.
#[derive(Clone, Debug)]
pub struct ProviderRead {
    /// For whom.
    pub tenant_id: TenantId,
    /// Where.
    pub target: Pinned,
}

/// Trading a code for a token.
#[derive(Clone, Debug)]
pub struct CodeExchange {
    /// For whom.
    pub tenant_id: TenantId,
    /// Where.
    pub target: Pinned,
    /// How the provider calls soit.
    pub client_id: String,
    /// What soit proves itself with; opened at the last moment.
    pub secret: Option<ClientSecret>,
    /// Whether it stands in the body.
    pub secret_in_body: bool,
    /// The code.
    pub code: SecretString,
    /// What the challenge at the start was made of.
    pub verifier: SecretString,
    /// Where the code was sent.
    pub redirect_uri: String,
}

/// Why a provider gave no answer that helps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// It was not reached, or not in time.
    #[error("the identity provider was not reached: {0}")]
    Unreachable(String),
    /// It answered something that cannot be read.
    #[error("the identity provider answered what cannot be read: {0}")]
    Garbage(String),
    /// It refused, with the word of OAuth where it gave one.
    #[error("the identity provider refused: {0}")]
    Refused(String),
    /// The client's secret cannot be opened.
    #[error("the client secret cannot be opened")]
    Secret,
}

/// Why a token is worth nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is no signed token.
    #[error("the token cannot be read")]
    Malformed,
    /// Its algorithm is not among those that are believed.
    #[error("the token is not signed by an algorithm that is believed")]
    Algorithm,
    /// None of the keys is the one it names.
    #[error("the token is signed by a key the provider does not have")]
    UnknownKey,
    /// The signature is wrong.
    #[error("the signature of the token is wrong")]
    Signature,
}

/// Asks identity providers.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Reads what a provider says of itself.
    async fn describe(&self, permit: Permit<ProviderRead>) -> Result<Described, ProviderError>;
    /// Reads a provider's keys.
    async fn read_keys(&self, permit: Permit<ProviderRead>) -> Result<ProviderKeys, ProviderError>;
    /// Trades a code for an ID token, as it is.
    async fn exchange(&self, permit: Permit<CodeExchange>) -> Result<SecretString, ProviderError>;
    /// The claims of a token that one of the keys signed by RS256, PS256, ES256 or EdDSA. What they say is still to be judged.
    fn claims(&self, token: &SecretString, keys: &ProviderKeys) -> Result<Value, TokenError>;
}
