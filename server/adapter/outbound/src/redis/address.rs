//! Where Redis is, from its URL.

use std::net::IpAddr;

use kernel::secret::SecretString;
use redis::{ConnectionAddr, IntoConnectionInfo, RedisConnectionInfo};

/// A server, a database of it, and who signs in.
#[derive(Clone)]
pub struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) is_tls: bool,
    pub(super) settings: RedisConnectionInfo,
}

/// The URL names no server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("want `redis://USER:PASSWORD@HOST:PORT/NUMBER` or `rediss://…`")]
pub struct AddressError;

impl Address {
    /// Whether what is said there stays on this machine.
    pub fn is_loopback(&self) -> bool {
        let is_address = self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        is_address || self.host == "localhost"
    }

    /// Whether nobody on the way can read along.
    pub fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Whether it proves who asks.
    pub fn has_password(&self) -> bool {
        self.settings.password().is_some()
    }
}

impl TryFrom<&SecretString> for Address {
    type Error = AddressError;

    fn try_from(url: &SecretString) -> Result<Self, AddressError> {
        let (scheme, rest) = url.expose().split_once("://").ok_or(AddressError)?;
        let is_tls = match scheme {
            "redis" => false,
            "rediss" => true,
            _ => return Err(AddressError),
        };
        // What stands behind `?` or `#` changes how a server is trusted: none of it is taken.
        if rest.contains(['?', '#']) {
            return Err(AddressError);
        }
        let known = format!("redis://{rest}").into_connection_info().map_err(|_| AddressError)?;
        let ConnectionAddr::Tcp(host, port) = known.addr() else { return Err(AddressError) };
        let settings = known.redis_settings().clone().set_skip_set_lib_name();
        if settings.db() < 0 {
            return Err(AddressError);
        }
        Ok(Self { host: host.clone(), port: *port, is_tls, settings })
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Address").field("is_tls", &self.is_tls).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Option<(String, u16, bool, i64)> {
        let address = Address::try_from(&SecretString::new(url.to_owned())).ok()?;
        Some((address.host, address.port, address.is_tls, address.settings.db()))
    }

    #[test]
    fn a_url_names_server_database_and_who_signs_in() {
        assert_eq!(read("redis://localhost"), Some(("localhost".to_owned(), 6379, false, 0)));
        assert_eq!(read("rediss://u:p@cache.example:6390/2"), Some(("cache.example".to_owned(), 6390, true, 2)));
        let address = Address::try_from(&SecretString::new("redis://a:p%40ss@[::1]".to_owned())).unwrap();
        assert_eq!((address.host.as_str(), address.settings.password()), ("::1", Some("p@ss")));
        assert!(!format!("{address:?}").contains("ss@"), "{address:?}");
    }

    #[test]
    fn what_would_weaken_trust_or_is_no_redis_is_refused() {
        for url in [
            "localhost:6379",
            "http://localhost",
            "redis+unix:///run/redis.sock",
            "redis://",
            "redis://localhost/x",
            "redis://localhost/-1",
            "rediss://localhost/#insecure",
            "redis://localhost?protocol=resp3",
        ] {
            assert_eq!(read(url), None, "{url}");
        }
    }
}
