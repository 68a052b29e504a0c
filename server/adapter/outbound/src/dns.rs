//! Names to addresses by DNS alone: both families, no search list, no hosts file.
//!
//! Not here: whether an address may be called, and what `localhost` is. The kernel knows both without asking.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use async_trait::async_trait;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;
use hickory_resolver::system_conf::read_system_conf;
use kernel::port::{ResolveError, Resolver};

/// How long one name server may take.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How often each is asked.
const TRIES: usize = 2;
/// A name with more addresses is refused.
const MAX_ADDRESSES: usize = 16;
const CACHED_NAMES: u64 = 1024;

/// Asks the system's name servers, or the ones it is given.
#[derive(Debug)]
pub struct Dns {
    /// A machine without name servers still runs: names do not resolve there.
    resolver: Option<TokioResolver>,
}

/// The given name servers cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the name servers of DNS_SERVERS cannot be used")]
pub struct DnsError(#[from] NetError);

impl Dns {
    /// Asks these name servers; without any, the system's.
    pub fn new(servers: &[SocketAddr]) -> Result<Self, DnsError> {
        if !servers.is_empty() {
            let resolver = resolver(servers.iter().copied().map(name_server).collect())?;
            return Ok(Self { resolver: Some(resolver) });
        }
        let system = read_system_conf().and_then(|(config, _)| resolver(config.name_servers().to_vec()));
        if let Err(error) = &system {
            tracing::warn!(%error, "the system has no usable name servers: names of providers will not resolve");
        }
        Ok(Self { resolver: system.ok() })
    }
}

/// Built from name servers alone, so that the system's domain and search list are left behind.
fn resolver(servers: Vec<NameServerConfig>) -> Result<TokioResolver, NetError> {
    let config = ResolverConfig::from_name_servers(servers);
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    let options = builder.options_mut();
    options.timeout = TIMEOUT;
    options.attempts = TRIES;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.use_hosts_file = ResolveHosts::Never;
    options.cache_size = CACHED_NAMES;
    builder.build()
}

fn name_server(address: SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    for connection in &mut server.connections {
        connection.port = address.port();
    }
    server
}

#[async_trait]
impl Resolver for Dns {
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let failed = |reason: &str| ResolveError { host: host.to_owned(), reason: reason.to_owned() };
        let resolver = self.resolver.as_ref().ok_or_else(|| failed("no name server is configured"))?;
        let mut name = Name::from_ascii(host).map_err(|_| failed("it is no domain name"))?;
        name.set_fqdn(true);
        let found = resolver.lookup_ip(name).await.map_err(|error| {
            tracing::debug!(dns.host = host, %error, "name does not resolve");
            failed(if error.is_no_records_found() { "it has no address" } else { "the name servers do not answer" })
        })?;
        let addresses: Vec<IpAddr> = found.iter().collect();
        match addresses.len() {
            0 => Err(failed("it has no address")),
            1..=MAX_ADDRESSES => Ok(addresses),
            _ => Err(failed("it has more than 16 addresses")),
        }
    }
}
