//! Connection pools, one for each workspace and checked set of addresses.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue, StatusCode};
use kernel::policy::Pinned;
use moka::sync::Cache;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use types::egress::Scheme;
use types::id::WorkspaceId;

use super::body::{Body, ENCODINGS};
use super::failure::Failure;
use super::peer::Peers;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Shorter than what servers usually wait before they close, so that few calls meet a dying connection.
const IDLE_CONNECTION: Duration = Duration::from_secs(30);
const IDLE_POOL: Duration = Duration::from_secs(600);
const MAX_POOLS: u64 = 1024;
/// Names and values together.
const MAX_HEADER_BYTES: u32 = 64 * 1024;
const USER_AGENT: &str = concat!("soit/", env!("CARGO_PKG_VERSION"));

/// The governed HTTP client. Clones share its connections.
#[derive(Clone)]
pub struct Http {
    tls: rustls::ClientConfig,
    pools: Cache<Pool, reqwest::Client>,
}

/// Whose connections to where: none is shared across workspaces or survives a change of addresses.
#[derive(PartialEq, Eq, Hash)]
struct Pool {
    workspace_id: WorkspaceId,
    scheme: Scheme,
    host: String,
    port: u16,
    addresses: Vec<IpAddr>,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The extra certificate authorities cannot be read.
    #[error("EXTRA_CA_FILE holds something else than PEM certificates")]
    UnreadableRoots(#[source] rustls::pki_types::pem::Error),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up")]
    Tls(#[from] rustls::Error),
}

/// What came back, up to the end of the header.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

/// How soit speaks TLS: it trusts the public certificate authorities, which it brings along, for an image has none, and
/// those of a PEM text besides.
pub fn tls(extra_roots: Option<&[u8]>) -> Result<rustls::ClientConfig, HttpError> {
    let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in extra_roots.into_iter().flat_map(CertificateDer::pem_slice_iter) {
        roots.add(certificate.map_err(HttpError::UnreadableRoots)?)?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tls)
}

impl Http {
    /// Trusts the public certificate authorities, and those of a PEM text besides.
    pub fn new(extra_roots: Option<&[u8]>) -> Result<Self, HttpError> {
        Ok(Self {
            tls: tls(extra_roots)?,
            pools: Cache::builder().max_capacity(MAX_POOLS).time_to_idle(IDLE_POOL).build(),
        })
    }

    /// Posts a body to exactly the target. Dropping the future, or the answer's body, closes the call.
    pub(crate) async fn post(
        &self,
        workspace_id: WorkspaceId,
        target: &Pinned,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Response, Failure> {
        send(self.pool(workspace_id, target)?.post(target.url().clone()).body(body), headers).await
    }

    /// Reads what lies at exactly the target, in the same way.
    pub(crate) async fn get(
        &self,
        workspace_id: WorkspaceId,
        target: &Pinned,
        headers: HeaderMap,
    ) -> Result<Response, Failure> {
        send(self.pool(workspace_id, target)?.get(target.url().clone()), headers).await
    }

    fn pool(&self, workspace_id: WorkspaceId, target: &Pinned) -> Result<reqwest::Client, Failure> {
        let mut addresses = target.addresses().to_vec();
        addresses.sort_unstable();
        let key = Pool {
            workspace_id,
            scheme: target.scheme(),
            host: target.host().to_owned(),
            port: target.port(),
            addresses,
        };
        if let Some(pool) = self.pools.get(&key) {
            return Ok(pool);
        }
        let pool = self.build(target).map_err(Failure::Connect)?;
        Ok(self.pools.entry(key).or_insert(pool).into_value())
    }

    #[expect(clippy::disallowed_methods, reason = "this is the governed client everybody else must go through")]
    fn build(&self, target: &Pinned) -> Result<reqwest::Client, reqwest::Error> {
        let addresses = target.addresses().iter().map(|address| SocketAddr::new(*address, target.port()));
        let addresses: Vec<SocketAddr> = addresses.collect();
        reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .connector_layer(Peers::new(addresses.clone()))
            .dns_resolver(Arc::new(Checked { host: target.host().to_owned(), addresses }))
            .user_agent(USER_AGENT)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .tcp_nodelay(true)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_CONNECTION)
            .http2_max_header_list_size(MAX_HEADER_BYTES)
            .build()
    }
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http").field("pools", &self.pools.entry_count()).finish_non_exhaustive()
    }
}

async fn send(request: reqwest::RequestBuilder, mut headers: HeaderMap) -> Result<Response, Failure> {
    headers.entry(ACCEPT_ENCODING).or_insert(HeaderValue::from_static(ENCODINGS));
    let answer = request.headers(headers).send().await.map_err(Failure::of_request)?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let size: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if size > MAX_HEADER_BYTES as usize {
        return Err(Failure::TooLarge { what: "header", limit: MAX_HEADER_BYTES as usize });
    }
    Ok(Response { status, headers, body: Body::new(answer) })
}

/// Answers with the checked addresses of one host, and knows no other: a connection cannot go anywhere else.
struct Checked {
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let addresses = (name.as_str() == self.host).then(|| self.addresses.clone());
        let resolved = addresses.map(|addresses| Box::new(addresses.into_iter()) as Addrs);
        Box::pin(std::future::ready(resolved.ok_or_else(|| "the host was not checked".into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_roots_must_be_certificates() {
        assert!(Http::new(None).is_ok());
        let broken = b"-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n";
        assert!(matches!(Http::new(Some(broken)), Err(HttpError::UnreadableRoots(_))));
        let no_certificate = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(Http::new(Some(no_certificate)), Err(HttpError::Tls(_))));
    }

    #[tokio::test]
    async fn only_the_checked_host_has_addresses() {
        let address: SocketAddr = "192.0.2.1:443".parse().unwrap();
        let checked = Checked { host: "models.example.com".to_owned(), addresses: vec![address] };
        let resolved = checked.resolve("models.example.com".parse().unwrap()).await.unwrap();
        assert_eq!(resolved.collect::<Vec<_>>(), [address]);
        assert!(checked.resolve("other.example.com".parse().unwrap()).await.is_err());
    }
}
