//! What may leave: target syntax, address classes, rules, and the address that was checked.
//!
//! [`Target::parse`] judges the text, [`allow`] asks the rules, [`pin`] resolves and judges every address. Invariant: what
//! is dialed is what was judged, so a name cannot change its mind in between. Not here: the connection itself.

mod address;
mod decision;
mod offer;
mod provider;
mod target;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use types::egress::Scheme;

pub use address::{Class, classify};
pub use decision::{Allowed, Deployment, EMPTY_BUNDLE, allow, bundle_id, pin, reaches_soit};
pub use offer::offer;
pub use provider::pin_provider;
pub use target::{Host, Target};

/// A target that passed every egress step, with the addresses that were checked. The connector dials only these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    pub(crate) url: url::Url,
    pub(crate) scheme: Scheme,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) addresses: Vec<IpAddr>,
    pub(crate) bundle_id: String,
    pub(crate) rule_id: Option<String>,
}

impl Pinned {
    /// The whole target.
    pub fn url(&self) -> &url::Url {
        &self.url
    }

    /// How it speaks.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The name or literal that rules, SNI and certificate check see.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The checked addresses; never empty.
    pub fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    /// The rules it was decided under.
    pub fn bundle_id(&self) -> &str {
        &self.bundle_id
    }

    /// The rule that let it out.
    pub fn rule_id(&self) -> Option<&str> {
        self.rule_id.as_deref()
    }
}
