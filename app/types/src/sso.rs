//! Single sign-on by OpenID Connect: the connections of a tenant, and which accounts of theirs are linked to one's own.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize};

use crate::id::{GroupId, SecretId, SsoConnectionId, SsoLinkId, TenantId, WorkspaceId};
use crate::identity::Role;
use crate::name::Name;
use crate::problem::Code;

/// What a group of the identity provider gives: a role in a workspace, or a place in a group of soit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SsoMapping {
    /// The group as the provider names it.
    pub group: String,
    /// `admin`, `dev` or `viewer`; this or `group_id`.
    #[serde(default, deserialize_with = "any_case", skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Where the role counts; without it, in the connection's workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<WorkspaceId>,
    /// A group of a workspace of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<GroupId>,
}

/// A connection to an identity provider. Its client secret is shown to nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OidcConnection {
    /// The connection's id.
    pub id: SsoConnectionId,
    /// What its button says.
    pub label: Name,
    /// Who the provider is, as its tokens say it: `https://login.example.com`.
    pub issuer: String,
    /// How the provider calls soit.
    pub client_id: String,
    /// The sealed client secret, if one is set.
    pub secret_id: Option<SecretId>,
    /// What is asked for; `openid` always is.
    pub scopes: Vec<String>,
    /// Domains of addresses that may make an account.
    pub allowed_domains: Vec<String>,
    /// The claim that names a person's groups.
    pub group_claim: Option<String>,
    /// What those groups give.
    pub mappings: Vec<SsoMapping>,
    /// Whether who comes first gets an account.
    pub jit: bool,
    /// The role that account gets in the connection's workspace.
    pub jit_role: Role,
    /// Where new accounts begin, and where roles count that name no workspace.
    pub workspace_id: WorkspaceId,
    /// Whether members of the tenant sign in only so.
    pub enforced: bool,
    /// What the provider must have as the redirect address.
    pub redirect_uri: String,
    /// Where the provider tells that somebody signed out there.
    pub backchannel_logout_uri: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// For `If-Match`.
    pub version: u64,
}

/// Makes a connection.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateOidcConnection {
    /// 1–80 characters.
    pub label: Name,
    /// `https://…`; plain http only where the address is a private one that the deployment opened.
    pub issuer: String,
    /// 1–255 characters.
    pub client_id: String,
    /// Write-only; kept sealed. Without it soit is a public client, which PKCE protects.
    #[serde(default)]
    pub client_secret: Option<String>,
    /// Default `openid email profile`.
    #[serde(default)]
    pub scopes: Option<Vec<String>>,
    /// At most 50.
    #[serde(default)]
    pub allowed_domains: Vec<String>,
    /// Without it no groups are read.
    #[serde(default)]
    pub group_claim: Option<String>,
    /// At most 100.
    #[serde(default)]
    pub mappings: Vec<SsoMapping>,
    /// Default off.
    #[serde(default)]
    pub jit: bool,
    /// Default `viewer`; never `owner`.
    #[serde(default, deserialize_with = "any_case")]
    pub jit_role: Option<Role>,
    /// Default the tenant's first workspace.
    #[serde(default)]
    pub workspace_id: Option<WorkspaceId>,
    /// Default off.
    #[serde(default)]
    pub enforced: bool,
}

impl std::fmt::Debug for CreateOidcConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateOidcConnection").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// Changes a connection. Absent members stay.
#[derive(Clone, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateOidcConnection {
    /// A new label.
    pub label: Option<Name>,
    /// Another provider: what was linked at the one before is of no use there.
    pub issuer: Option<String>,
    /// Another client.
    pub client_id: Option<String>,
    /// A new client secret; write-only. Null removes the present one.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_secret: Option<Option<String>>,
    /// What is asked for.
    pub scopes: Option<Vec<String>>,
    /// Domains of addresses that may make an account.
    pub allowed_domains: Option<Vec<String>>,
    /// The claim that names groups. Null: none are read.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub group_claim: Option<Option<String>>,
    /// What groups give; all of them.
    pub mappings: Option<Vec<SsoMapping>>,
    /// Whether who comes first gets an account.
    pub jit: Option<bool>,
    /// The role that account gets.
    #[serde(deserialize_with = "any_case")]
    pub jit_role: Option<Role>,
    /// Where new accounts begin.
    pub workspace_id: Option<WorkspaceId>,
    /// Whether members sign in only so.
    pub enforced: Option<bool>,
}

impl std::fmt::Debug for UpdateOidcConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UpdateOidcConnection").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// Whether an identity provider answers as a connection needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OidcCheck {
    /// Whether it does.
    pub ok: bool,
    /// As what it failed.
    pub code: Option<Code>,
    /// Why it failed.
    pub detail: Option<String>,
    /// Whether the provider says that it tells of sign-outs.
    pub backchannel_logout: bool,
    /// Milliseconds until it was known.
    pub latency_ms: u64,
}

/// An account at an identity provider that signs in to one's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SsoLink {
    /// The link's id.
    pub id: SsoLinkId,
    /// The tenant whose connection it was made by.
    pub tenant_id: TenantId,
    /// Who the provider is.
    pub issuer: String,
    /// The address the provider told at the last sign-in, if it told one.
    pub email: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When somebody last signed in by it.
    pub last_used_at: DateTime<Utc>,
}

/// A connection one may link an account of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SsoOffer {
    /// The connection's id.
    pub id: SsoConnectionId,
    /// Its label.
    pub label: Name,
    /// Where linking starts, for this session alone.
    pub link_url: String,
}

/// One's links, and the connections of one's tenants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SsoLinks {
    /// One's links, oldest first.
    pub items: Vec<SsoLink>,
    /// What can be linked.
    pub offers: Vec<SsoOffer>,
}

/// Reads a role in any case, or none.
fn any_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Role>, D::Error> {
    let text = Option::<std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
    text.map(|text| text.to_ascii_lowercase().parse().map_err(serde::de::Error::custom)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_in_any_case_and_strange_members_are_refused() {
        let mapping: SsoMapping = serde_json::from_str(r#"{"group":"g","role":"Dev"}"#).expect("a mapping");
        assert_eq!(mapping.role, Some(Role::Dev));
        for wrong in [r#"{"group":"g","role":"root"}"#, r#"{"group":"g","rolle":"dev"}"#] {
            assert!(serde_json::from_str::<SsoMapping>(wrong).is_err(), "{wrong}");
        }
        let change: UpdateOidcConnection = serde_json::from_str(r#"{"client_secret":null}"#).expect("a change");
        assert_eq!(change.client_secret, Some(None));
    }

    #[test]
    fn a_secret_is_not_printed() {
        let change = UpdateOidcConnection { client_secret: Some(Some("s3cret".to_owned())), ..Default::default() };
        assert!(!format!("{change:?}").contains("s3cret"));
    }
}
