//! Names to addresses by DNS alone: both families, no search list, no hosts file.
//!
//! Not here: whether an address may be called, and what `localhost` is. The kernel knows both without asking.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

use async_trait::async_trait;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;
use hickory_resolver::system_conf::read_system_conf;
use kernel::port::{ResolveError, Resolver};
use tokio::time::timeout;

/// How long one name server may take.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How often each is asked.
const TRIES: usize = 2;
/// How long a name may take, however many servers there are.
const PATIENCE: Duration = Duration::from_secs(6);
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
        let found = timeout(PATIENCE, resolver.lookup_ip(name)).await;
        let found = found.map_err(|_| failed("the name servers do not answer"))?.map_err(|error| {
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

    /// Only an address of this machine can be bound. Asked anew each time, for interfaces come and go.
    fn is_own(&self, address: IpAddr) -> bool {
        UdpSocket::bind((address, 0)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use testkit::name_server::NameServer;

    use super::*;

    fn addresses(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    async fn dns(server: &NameServer) -> Dns {
        Dns::new(&[server.address()]).unwrap()
    }

    #[tokio::test]
    async fn every_address_of_both_families_is_told() {
        let all = ["1.1.1.1", "10.0.0.1", "2606:4700::1111"];
        let server = NameServer::start(move |_, _| Some(addresses(&all))).await.unwrap();
        let mut found = dns(&server).await.resolve("models.example.com").await.unwrap();
        found.sort_unstable();
        assert_eq!(found, addresses(&all));
        assert!(server.asked().iter().all(|question| question.name == "models.example.com"), "{:?}", server.asked());
    }

    #[tokio::test]
    async fn a_name_without_or_with_too_many_addresses_does_not_resolve() {
        let server = NameServer::start(|question, _| {
            let count = if question.name == "many.example.com" { 17 } else { 0 };
            Some((0..count).map(|last| IpAddr::from([1, 1, 1, last])).collect())
        });
        let server = server.await.unwrap();
        for (name, reason) in
            [("many.example.com", "it has more than 16 addresses"), ("none.example.com", "it has no address")]
        {
            assert_eq!(dns(&server).await.resolve(name).await.unwrap_err().reason, reason, "{name}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn name_servers_that_hang_are_not_waited_for_long() {
        let server = NameServer::start(|_, _| None).await.unwrap();
        let started = tokio::time::Instant::now();
        let error = dns(&server).await.resolve("models.example.com").await.unwrap_err();
        assert_eq!(error.reason, "the name servers do not answer");
        assert!(started.elapsed() <= PATIENCE + Duration::from_millis(10), "{:?}", started.elapsed());
    }

    #[tokio::test]
    async fn an_answer_that_may_not_be_kept_is_not_kept() {
        let server =
            NameServer::start(|_, before| Some(addresses(if before == 0 { &["1.1.1.1"] } else { &["1.0.0.1"] })));
        let server = server.await.unwrap();
        let dns = dns(&server).await;
        assert_eq!(dns.resolve("models.example.com").await.unwrap(), addresses(&["1.1.1.1"]));
        assert_eq!(dns.resolve("models.example.com").await.unwrap(), addresses(&["1.0.0.1"]));
    }

    #[test]
    fn addresses_of_this_machine_are_known() {
        let dns = Dns { resolver: None };
        for (address, own) in [("127.0.0.1", true), ("192.0.2.1", false), ("2001:db8::1", false)] {
            assert_eq!(dns.is_own(address.parse().unwrap()), own, "{address}");
        }
        // Whatever address this machine would be seen under from outside.
        let probe = UdpSocket::bind("0.0.0.0:0").unwrap();
        if probe.connect("192.0.2.1:9").is_ok() {
            assert!(dns.is_own(probe.local_addr().unwrap().ip()));
        }
    }
}
