//! What a request brings before it is known who asks.

use std::net::{IpAddr, Ipv6Addr};

use types::id::{RequestId, TenantId, WorkspaceId};
use types::name::Slug;
use types::run::Entry;

use crate::record::Digest;
use crate::secret::SecretString;

/// The other end of a request.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its address, behind trusted proxies the one they vouch for.
    pub address: Option<IpAddr>,
    /// How it names itself (`User-Agent`).
    pub label: String,
    /// The mark of a browser in which somebody signed in before.
    pub device: Option<String>,
    /// Through which door it came.
    pub entry: Entry,
    /// The HTTP request.
    pub request_id: RequestId,
    /// W3C trace id, 32 hex digits.
    pub trace_id: String,
}

impl Client {
    /// The label as sessions keep it: at most 200 characters, nothing that could mislead a reader.
    pub(super) fn short_label(&self) -> String {
        self.label.chars().filter(|character| !types::name::is_misleading(*character)).take(200).collect()
    }

    /// The address as rows keep it.
    pub(super) fn address_text(&self) -> String {
        self.address.map(|address| address.to_canonical().to_string()).unwrap_or_default()
    }
}

/// Whom failures are counted against: an IPv4 address, or the /64 network of an IPv6 one.
pub(super) fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

/// The credential a request presents.
#[derive(Clone, Debug)]
pub enum Presented {
    /// `Authorization: Bearer` or `X-API-Key`.
    Token(SecretString),
    /// The digest of the console cookie's id.
    Cookie(Digest),
}

/// Which workspace a request is about.
#[derive(Clone, Debug)]
pub enum Place {
    /// The one the path or `X-Workspace-Id` names, else the credential's own.
    Workspace {
        /// `workspaces/{id}` in the path.
        path: Option<WorkspaceId>,
        /// `X-Workspace-Id`.
        header: Option<WorkspaceId>,
    },
    /// The one of a console path, by its slug.
    Slug(Slug),
    /// A tenant as a whole.
    Tenant {
        /// `tenants/{id}` in the path.
        id: TenantId,
        /// `X-Workspace-Id`, which must lie in it.
        header: Option<WorkspaceId>,
    },
    /// The person; a workspace only if `X-Workspace-Id` names one or the credential has one.
    Person {
        /// `X-Workspace-Id`.
        header: Option<WorkspaceId>,
    },
}
