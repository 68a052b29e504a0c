//! Names to addresses, and which of them are ours.

use std::net::IpAddr;

use async_trait::async_trait;

/// Why a name has no usable address.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{host}` does not resolve: {reason}")]
pub struct ResolveError {
    /// The name.
    pub host: String,
    /// Why, without internals.
    pub reason: String,
}

/// Looks names up: both families, no search list, no hosts file, at most 16 addresses.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Every address of the name; never empty.
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError>;

    /// Whether an interface of this machine has the address now.
    fn is_own(&self, address: IpAddr) -> bool;
}
