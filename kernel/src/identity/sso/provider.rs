//! Asking providers: where they may be reached, what they said of themselves, and their keys, kept for an hour.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use types::egress::Scheme;
use types::id::TenantId;
use types::problem::Code;

use super::claims::doubt;
use super::{PATH, failed};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::policy::Permit;
use crate::policy::egress::{Target, pin_provider};
use crate::port::{CodeExchange, Described, ProviderError, ProviderKeys, ProviderRead, TokenError};
use crate::record::SsoConnection;
use crate::secret::SecretString;

/// How long what a provider said is kept.
const KEPT: TimeDelta = TimeDelta::hours(1);
/// Keys are read anew for one that is not known at most this often.
const REREAD: TimeDelta = TimeDelta::minutes(1);
/// How long one that did not answer is not asked again.
const SILENT: TimeDelta = TimeDelta::seconds(5);
/// Providers remembered at once.
const CAPACITY: usize = 1_000;
/// Where a provider describes itself, below its issuer.
const DESCRIPTION: &str = ".well-known/openid-configuration";

/// What providers said, by issuer. Another process asks for itself.
#[derive(Debug, Default)]
pub(in crate::identity) struct Known {
    said: Mutex<HashMap<String, Said>>,
    /// Those that did not answer, and when: strangers who start sign-ins must not make soit ask each time.
    silent: Mutex<HashMap<String, DateTime<Utc>>>,
}

#[derive(Clone, Debug)]
struct Said {
    described: Arc<Described>,
    at: DateTime<Utc>,
    keys: Option<(ProviderKeys, DateTime<Utc>)>,
}

impl Known {
    fn find(&self, issuer: &str, now: DateTime<Utc>) -> Option<Said> {
        let known = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(issuer).filter(|said| now - said.at < KEPT).cloned()
    }

    fn keep(&self, issuer: &str, said: Said, now: DateTime<Utc>) {
        let mut known = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CAPACITY && !known.contains_key(issuer) {
            known.retain(|_, said| now - said.at < KEPT);
            if known.len() >= CAPACITY {
                known.clear();
            }
        }
        known.insert(issuer.to_owned(), said);
    }

    fn is_silent(&self, issuer: &str, now: DateTime<Utc>) -> bool {
        let silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        silent.get(issuer).is_some_and(|at| now - *at < SILENT)
    }

    fn keep_silence(&self, issuer: &str, now: DateTime<Utc>) {
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        silent.retain(|_, at| now - *at < SILENT);
        silent.insert(issuer.to_owned(), now);
    }

    fn keep_keys(&self, issuer: &str, keys: ProviderKeys, now: DateTime<Utc>) {
        let mut known = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(said) = known.get_mut(issuer) {
            said.keys = Some((keys, now));
        }
    }
}

impl Identity {
    /// What the provider of a connection says of itself.
    pub(super) async fn described(&self, connection: &SsoConnection) -> Result<Arc<Described>> {
        let now = self.ports.clock.now();
        if let Some(said) = self.known_providers.find(&connection.issuer, now) {
            return Ok(said.described);
        }
        if self.known_providers.is_silent(&connection.issuer, now) {
            return Err(no_answer());
        }
        let described = self.describe(connection.scope.tenant_id, &connection.issuer).await;
        let described = Arc::new(described.inspect_err(|error| {
            if error.code() == Code::SsoUnavailable {
                self.known_providers.keep_silence(&connection.issuer, self.ports.clock.now());
            }
        })?);
        let said = Said { described: Arc::clone(&described), at: now, keys: None };
        self.known_providers.keep(&connection.issuer, said, now);
        Ok(described)
    }

    /// Asks a provider what it says of itself. It must be who it was taken for, and must not lead to weaker addresses.
    pub(super) async fn describe(&self, tenant_id: TenantId, issuer: &str) -> Result<Described> {
        let url = format!("{}/{DESCRIPTION}", issuer.trim_end_matches('/'));
        let read = ProviderRead { tenant_id, target: self.pinned(&url).await? };
        let described = self.ports.sso.provider.describe(Permit::grant(read)).await.map_err(unavailable)?;
        if described.issuer != issuer {
            let detail = format!("the provider calls itself another name than `{issuer}`, take its own as the issuer");
            return Err(failed("issuer", &detail));
        }
        let is_secure = Target::parse(issuer)?.scheme() == Scheme::Https;
        for endpoint in [&described.authorization_endpoint, &described.token_endpoint, &described.jwks_uri] {
            if Target::parse(endpoint).map_or(true, |target| is_secure && target.scheme() != Scheme::Https) {
                return Err(failed("endpoint", "an address the provider names is none that can be used"));
            }
        }
        Ok(described)
    }

    /// Reads the keys of a provider.
    pub(super) async fn read_keys(&self, tenant_id: TenantId, described: &Described) -> Result<ProviderKeys> {
        let read = ProviderRead { tenant_id, target: self.pinned(&described.jwks_uri).await? };
        self.ports.sso.provider.read_keys(Permit::grant(read)).await.map_err(unavailable)
    }

    /// The claims of a token that the provider of a connection signed. A key that is not known is looked for once more.
    pub(super) async fn believed(
        &self,
        connection: &SsoConnection,
        described: &Described,
        token: &SecretString,
    ) -> Result<Value> {
        let now = self.ports.clock.now();
        let known = self.known_providers.find(&connection.issuer, now).and_then(|said| said.keys);
        let (keys, read_at) = match known.filter(|(_, at)| now - *at < KEPT) {
            Some(known) => known,
            None => (self.reread_keys(connection, described, now).await?, now),
        };
        match self.ports.sso.provider.claims(token, &keys) {
            Err(TokenError::UnknownKey) if now - read_at >= REREAD => {
                let keys = self.reread_keys(connection, described, now).await?;
                self.ports.sso.provider.claims(token, &keys).map_err(|error| doubt(&error))
            }
            judged => judged.map_err(|error| doubt(&error)),
        }
    }

    async fn reread_keys(
        &self,
        connection: &SsoConnection,
        described: &Described,
        now: DateTime<Utc>,
    ) -> Result<ProviderKeys> {
        let keys = self.read_keys(connection.scope.tenant_id, described).await?;
        self.known_providers.keep_keys(&connection.issuer, keys.clone(), now);
        Ok(keys)
    }

    /// Trades a code for an ID token.
    pub(super) async fn trade(
        &self,
        connection: &SsoConnection,
        described: &Described,
        code: SecretString,
        verifier: SecretString,
    ) -> Result<SecretString> {
        let exchange = CodeExchange {
            tenant_id: connection.scope.tenant_id,
            target: self.pinned(&described.token_endpoint).await?,
            client_id: connection.client_id.clone(),
            secret: connection.secret.clone(),
            secret_in_body: described.wants_secret_in_body,
            code,
            verifier,
            redirect_uri: self.redirect_uri(connection),
        };
        match self.ports.sso.provider.exchange(Permit::grant(exchange)).await {
            Err(ProviderError::Refused(word)) => {
                let detail = format!("the identity provider refused the sign-in: `{word}`");
                Err(failed("code", &detail))
            }
            traded => traded.map_err(unavailable),
        }
    }

    /// Exactly what the provider must have as the redirect address.
    pub(super) fn redirect_uri(&self, connection: &SsoConnection) -> String {
        format!("{}{PATH}/{}/callback", self.ports.sso.public_url, connection.id)
    }

    /// Where the provider tells of sign-outs.
    pub(super) fn backchannel_uri(&self, connection: &SsoConnection) -> String {
        format!("{}{PATH}/{}/backchannel-logout", self.ports.sso.public_url, connection.id)
    }

    async fn pinned(&self, url: &str) -> Result<crate::policy::Pinned> {
        let sso = &self.ports.sso;
        let pinned = pin_provider(&sso.deployment, &Target::parse(url)?, &*sso.resolver).await;
        pinned.map_err(|error| match error.code() {
            Code::EgressDnsFailed => no_answer().with_source(error),
            _ => error,
        })
    }
}

/// What is said to who cannot sign in because the provider does not answer.
fn no_answer() -> Error {
    let detail = "the identity provider does not answer, try again later or sign in another way";
    Error::new(Code::SsoUnavailable, detail).with_retry_after(SILENT.num_seconds().unsigned_abs())
}

fn unavailable(error: ProviderError) -> Error {
    match error {
        ProviderError::Secret => {
            Error::new(Code::SecretUnreadable, "the client secret cannot be opened with the present keys, set it again")
        }
        other => no_answer().with_source(other),
    }
}
