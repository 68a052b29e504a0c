//! Signing in with an identity provider: OpenID Connect, code flow with PKCE.
//!
//! A tenant's connections are set up in [`connection`]; [`start`] sends the browser to the provider with what only that browser
//! can bring back ([`flow`]); [`finish`] takes it back, trades the code, and judges what the provider says ([`claims`]). Then
//! somebody comes in ([`enter`], with the roles of [`roles`]) or links the account to their own ([`link`]). [`step_up`] asks who is
//! signed in to prove it again, [`logout`] hears of sign-outs, [`enforce`] turns passwords away.
//!
//! Invariant: who somebody is says issuer and subject together, never an address; of a flow nothing is kept on the server.

mod check;
mod claims;
mod connection;
mod enforce;
mod enter;
mod finish;
mod flow;
mod link;
mod logout;
mod offer;
mod provider;
mod roles;
mod rules;
mod start;
mod step_up;

use std::sync::Arc;

use types::problem::Code;

use crate::error::Error;
use crate::policy::egress::Deployment;
use crate::port::{IdentityProvider, Resolver, SingleSignOn};

pub use finish::{Finished, Returned, Unfinished};
pub use flow::flow_name;
pub(super) use provider::Known;
pub use start::Started;

/// Where the provider leads a browser back to: `{0}/auth/oidc/{1}/callback`.
const PATH: &str = "/auth/oidc";

/// How often it is decided anew while others move what it is decided on.
const ATTEMPTS: usize = 5;

/// What single sign-on needs from the world besides.
pub struct SsoPorts {
    /// Reads connections, links and sessions.
    pub store: Arc<dyn SingleSignOn>,
    /// Asks providers.
    pub provider: Arc<dyn IdentityProvider>,
    /// Names to addresses.
    pub resolver: Arc<dyn Resolver>,
    /// What the deployment lets out.
    pub deployment: Arc<Deployment>,
    /// Where browsers reach soit, without a slash at the end.
    pub public_url: String,
}

/// Somebody or something cannot be believed. The reason is a machine word.
fn failed(reason: &'static str, detail: &str) -> Error {
    Error::new(Code::SsoFailed, detail).with_reason(reason)
}

/// The provider knows them; they have no way in here.
fn refused(reason: &'static str, detail: &str) -> Error {
    Error::new(Code::SsoRefused, detail).with_reason(reason)
}

fn busy() -> Error {
    Error::new(Code::Busy, "others change the same at the same time, try again").with_retry_after(1)
}
