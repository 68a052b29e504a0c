//! OpenID providers: their description, their keys, the trade of a code, over the one governed client; and whether a token is
//! signed by one of their keys.
//!
//! Invariant: each call goes to the address in its permit and nowhere else, is over in time, and is read up to a cap. Not here:
//! whether what a token says is believed.

mod describe;
mod exchange;
mod token;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};
use kernel::policy::{Permit, Pinned};
use kernel::port::{CodeExchange, Described, IdentityProvider, ProviderError, ProviderKeys, ProviderRead, TokenError};
use kernel::secret::SecretString;
use serde_json::Value;
use tokio::time::timeout;
use types::id::{TenantId, WorkspaceId};

use crate::http::{Failure, Http, Response};
use crate::secret::Keyring;

/// How long a provider may take for one answer, all of it.
const PATIENCE: Duration = Duration::from_secs(10);
/// More than any honest answer has.
const MOST_BYTES: usize = 512 * 1024;

/// Asks OpenID providers.
#[derive(Debug)]
pub struct OpenidProviders {
    http: Http,
    keyring: Arc<Keyring>,
}

impl OpenidProviders {
    /// Over a client; the keyring opens client secrets.
    pub fn new(http: Http, keyring: Arc<Keyring>) -> Self {
        Self { http, keyring }
    }

    /// The whole document at a target.
    async fn read(&self, read: ProviderRead) -> Result<Vec<u8>, ProviderError> {
        let asked = async {
            let answer = self.http.get(connections_of(read.tenant_id), &read.target, accepting_json()).await;
            whole(answer.map_err(unreached)?).await
        };
        let (status, body) = in_time(asked).await?;
        match status {
            200 => Ok(body),
            429 | 500.. => Err(ProviderError::Unreachable(format!("it answered {status}"))),
            _ => Err(ProviderError::Garbage(format!("it answered {status}"))),
        }
    }

    /// The answer to a form.
    async fn post(
        &self,
        tenant_id: TenantId,
        target: &Pinned,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<(u16, Vec<u8>), ProviderError> {
        let asked = async {
            let answer = self.http.post(connections_of(tenant_id), target, headers, body).await;
            whole(answer.map_err(unreached)?).await
        };
        in_time(asked).await
    }
}

#[async_trait]
impl IdentityProvider for OpenidProviders {
    async fn describe(&self, permit: Permit<ProviderRead>) -> Result<Described, ProviderError> {
        describe::described(&self.read(permit.into_call()).await?)
    }

    async fn read_keys(&self, permit: Permit<ProviderRead>) -> Result<ProviderKeys, ProviderError> {
        token::keys(self.read(permit.into_call()).await?)
    }

    async fn exchange(&self, permit: Permit<CodeExchange>) -> Result<SecretString, ProviderError> {
        self.trade(permit.into_call()).await
    }

    fn claims(&self, token: &SecretString, keys: &ProviderKeys) -> Result<Value, TokenError> {
        token::claims(token.expose(), keys)
    }
}

/// Connections are shared within a tenant: its calls to providers belong to none of its workspaces.
fn connections_of(tenant_id: TenantId) -> WorkspaceId {
    WorkspaceId::from_uuid(tenant_id.as_uuid())
}

fn accepting_json() -> HeaderMap {
    HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))])
}

async fn in_time<T>(asked: impl Future<Output = Result<T, ProviderError>>) -> Result<T, ProviderError> {
    let late = |_| ProviderError::Unreachable(format!("it did not answer within {} s", PATIENCE.as_secs()));
    timeout(PATIENCE, asked).await.map_err(late)?
}

async fn whole(answer: Response) -> Result<(u16, Vec<u8>), ProviderError> {
    let body = answer.body.whole(MOST_BYTES).await.map_err(unreached)?;
    Ok((answer.status.as_u16(), body))
}

fn unreached(failure: Failure) -> ProviderError {
    match failure {
        Failure::TooLarge { .. } | Failure::TooDense | Failure::Encoding(_) | Failure::NotText(_) => {
            ProviderError::Garbage(failure.message())
        }
        Failure::Connect(_) | Failure::Reset(_) | Failure::Cut(_) => ProviderError::Unreachable(failure.message()),
    }
}
