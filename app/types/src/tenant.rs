//! Tenants as the doors speak of them: their people, workspaces and ceilings.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{TenantId, UserId};
use crate::identity::{TenantRole, UserStatus};
use crate::name::{Name, Slug};
use crate::run::Capture;
use crate::word::words;

words! {
    /// Whether a tenant may act.
    pub enum TenantStatus {
        /// It may.
        Active = "active",
        /// Nothing in it starts, and nobody gets in.
        Suspended = "suspended",
    }
}
words! {
    /// Whether a workspace is in use.
    pub enum WorkspaceStatus {
        /// It is.
        Active = "active",
        /// It is read, and nothing in it changes.
        Archived = "archived",
    }
}

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Tenant {
    /// The tenant's id.
    pub id: TenantId,
    /// Its short name, unique in the instance.
    pub slug: Slug,
    /// Its name.
    pub name: Name,
    /// Whether it may act.
    pub status: TenantStatus,
    /// One's own role in it; none for who only runs the instance.
    pub role: Option<TenantRole>,
    /// For `If-Match`.
    pub version: u64,
}

/// Makes a tenant for somebody who has an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTenant {
    /// 1–80 characters.
    pub name: Name,
    /// Its short name, unique in the instance.
    pub slug: Slug,
    /// The address of who is to own it.
    pub owner_email: String,
}

/// Changes a tenant; absent members stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateTenant {
    /// A new name.
    pub name: Option<Name>,
    /// A new short name.
    pub slug: Option<Slug>,
}

/// What binds every workspace of a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Ceilings {
    /// How much content a workspace keeps at most; the strictest of this and its own counts.
    pub content_capture: Capture,
    /// For `If-Match`: the tenant's.
    pub version: u64,
}

/// Changes what binds every workspace; absent members stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateCeilings {
    /// How much content a workspace keeps at most.
    pub content_capture: Option<Capture>,
}

/// A person's place in a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TenantMember {
    /// The person.
    pub user_id: UserId,
    /// The address they sign in with.
    pub email: String,
    /// Their name.
    pub name: Name,
    /// Whether their account may act.
    pub status: UserStatus,
    /// Their role in the tenant.
    pub role: TenantRole,
    /// For `If-Match`.
    pub version: u64,
}

/// Gives somebody who once belonged a place in the tenant again. Who never did is invited into a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddTenantMember {
    /// The person; this or `email`.
    #[serde(default)]
    pub user_id: Option<UserId>,
    /// Their address; this or `user_id`.
    #[serde(default)]
    pub email: Option<String>,
    /// Their role; an owner is made by owners alone.
    #[serde(deserialize_with = "crate::word::any_case")]
    pub role: TenantRole,
}

/// Changes somebody's role in a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateTenantMember {
    /// The new role; owners are made and unmade by owners alone.
    #[serde(deserialize_with = "crate::word::any_case")]
    pub role: TenantRole,
}

/// Makes a workspace; who makes it owns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateWorkspace {
    /// The tenant it is to lie in.
    pub tenant_id: TenantId,
    /// 1–80 characters.
    pub name: Name,
    /// Its name in URLs, unique in the tenant.
    pub slug: Slug,
}

/// Which tenants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct TenantQuery {
    /// All there are, for who runs the instance; else those one belongs to.
    pub all: bool,
    /// 1–200, default 50.
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// The workspaces of which tenant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WorkspaceQuery {
    /// The tenant.
    pub tenant_id: TenantId,
    /// 1–200, default 50.
    #[serde(default)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Which accounts of the instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct AccountQuery {
    /// Part of an address, in any case; at most 200 characters.
    pub q: Option<String>,
    /// 1–200, default 50.
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// An account, as who runs the instance sees it: nothing of what is in its tenants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AccountView {
    /// The person.
    pub id: UserId,
    /// The address they sign in with.
    pub email: String,
    /// Their name.
    pub name: Name,
    /// Whether they may act.
    pub status: UserStatus,
    /// Whether they run the instance.
    pub is_operator: bool,
    /// Whether the address was proved by a mail.
    pub email_verified: bool,
    /// When the account was made.
    pub created_at: DateTime<Utc>,
}

/// The tenants a person belongs to, as who runs the instance sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AccountDetail {
    /// The account.
    #[serde(flatten)]
    pub account: AccountView,
    /// Whether signing in asks for a second factor.
    pub second_factor: bool,
    /// Where they belong.
    pub tenants: Vec<Tenant>,
}

/// How a process of the instance does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Diagnostics {
    /// `ready`, `degraded` or `not_ready`.
    pub status: String,
    /// What kind of process answered.
    pub role: String,
    /// Its version.
    pub version: String,
    /// What it looks at, by name.
    pub checks: Vec<DiagnosticCheck>,
}

/// A setting of the process that answers, as it took effect at its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Setting {
    /// Its variable.
    pub name: String,
    /// Its value; of a secret that there is one (`set`), of what is not set nothing.
    pub value: Option<String>,
    /// Who gave it: `default`, `environment` or `file`.
    pub source: String,
}

/// One thing a process looks at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DiagnosticCheck {
    /// Its name.
    pub name: String,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// Whether the process works without it.
    pub required: bool,
    /// A word for what is wrong, or for how it is done.
    pub detail: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_and_an_unknown_member_are_named() {
        let refused = |text: &str| serde_json::from_str::<UpdateTenantMember>(text).expect_err(text).to_string();
        assert!(refused(r#"{"role":"root"}"#).starts_with("`root` is not one of `owner`"));
        assert!(refused(r#"{"role":"admin","x":1}"#).contains("unknown field `x`"));
        let slug = serde_json::from_str::<UpdateTenant>(r#"{"slug":"Acme"}"#).expect_err("a capital").to_string();
        assert!(slug.contains("lower-case letters"), "{slug}");
        let name = serde_json::from_str::<UpdateTenant>("{\"name\":\"a\\u202eb\"}").expect_err("hidden").to_string();
        assert!(name.contains("direction-changing"), "{name}");
    }
}
