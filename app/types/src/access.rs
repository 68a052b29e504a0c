//! Who acts besides people, and what is granted to whom: service principals, groups, grants, and why something is allowed.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::{GrantId, GroupId, ServicePrincipalId, UserId};
use crate::identity::Role;
use crate::name::Name;
use crate::problem::Code;
use crate::word::words;

words! {
    /// Whether a service principal may act.
    pub enum PrincipalStatus {
        /// It may.
        Active = "active",
        /// Somebody switched it off.
        Disabled = "disabled",
        /// Its owner is gone or may not act; it waits for another one.
        Orphaned = "orphaned",
    }
}
words! {
    /// What kind of thing a grant is about.
    pub enum ResourceType {
        /// A model of a provider account.
        Model = "model",
    }
}
words! {
    /// What a grant allows.
    pub enum GrantAction {
        /// To read it.
        Read = "read",
        /// To call or start it.
        Execute = "execute",
        /// To ask it.
        Query = "query",
        /// To change it.
        Update = "update",
        /// To judge changes of it.
        Review = "review",
    }
}
words! {
    /// What is looked at before something is allowed.
    pub enum AccessRule {
        /// Whether who asks may act at all.
        Subject = "subject",
        /// Whether they belong to the workspace.
        Membership = "membership",
        /// How far their key reaches.
        Scope = "scope",
        /// What their role says.
        Role = "role",
        /// What was granted to them.
        Grant = "grant",
        /// What their key is restricted to.
        Allowlist = "allowlist",
        /// From where their key may be used.
        Address = "address",
        /// Whether they must have proved lately who they are.
        StepUp = "step_up",
    }
}
words! {
    /// What a rule says.
    pub enum RuleOutcome {
        /// It allows.
        Allow = "allow",
        /// It refuses.
        Deny = "deny",
        /// It has nothing to say.
        Pass = "pass",
        /// It is asked of each request anew.
        Depends = "depends",
    }
}

/// A service principal: not a person, but acting with keys of its own, for an owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ServicePrincipal {
    /// The principal's id.
    pub id: ServicePrincipalId,
    /// Its name, unique in the workspace.
    pub name: Name,
    /// Who answers for it.
    pub owner_user_id: UserId,
    /// Their name, where they are still known.
    pub owner: Option<Name>,
    /// Its own role; it acts with the lower of this and its owner's.
    pub role: Role,
    /// The role it acts with now; null while it may not act.
    pub effective_role: Option<Role>,
    /// Whether it may act.
    pub status: PrincipalStatus,
    /// Who made it.
    pub created_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
    /// For `If-Match`.
    pub version: u64,
}

/// Makes a service principal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateServicePrincipal {
    /// 1–80 characters, unique in the workspace.
    pub name: Name,
    /// A member who answers for it; without it, one does oneself.
    #[serde(default)]
    pub owner_user_id: Option<UserId>,
    /// `admin`, `dev` or `viewer`; none above one's own.
    #[serde(deserialize_with = "crate::word::any_case")]
    pub role: Role,
}

/// Changes a service principal. Absent members stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateServicePrincipal {
    /// 1–80 characters, unique in the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// A member who answers for it. An orphaned one acts again once it has an owner who may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_user_id: Option<UserId>,
    /// `admin`, `dev` or `viewer`; none above one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// `active` or `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<PrincipalStatus>,
}

/// A group of members: a subject of grants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Group {
    /// The group's id.
    pub id: GroupId,
    /// Its name, unique in the workspace.
    pub name: Name,
    /// Who is in it, by id.
    pub members: Vec<UserId>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// For `If-Match`.
    pub version: u64,
}

/// Makes a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateGroup {
    /// 1–80 characters, unique in the workspace.
    pub name: Name,
    /// At most 200 members of the workspace.
    #[serde(default)]
    pub members: Vec<UserId>,
}

/// Changes a group. Absent members stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateGroup {
    /// 1–80 characters, unique in the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Who is in it from now on, at most 200 members of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<UserId>>,
}

/// To whom something is granted; its id on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GrantSubject {
    /// A member.
    User(UserId),
    /// Everybody of a group.
    Group(GroupId),
    /// A service principal.
    Principal(ServicePrincipalId),
}

/// Why a text names nobody to whom something can be granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no id like `usr_01j…`, `grp_01j…` or `spn_01j…`")]
pub struct InvalidSubject;

impl fmt::Display for GrantSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(id) => id.fmt(f),
            Self::Group(id) => id.fmt(f),
            Self::Principal(id) => id.fmt(f),
        }
    }
}

impl FromStr for GrantSubject {
    type Err = InvalidSubject;

    fn from_str(text: &str) -> Result<Self, InvalidSubject> {
        let user = || text.parse().map(Self::User);
        let group = || text.parse().map(Self::Group);
        let principal = || text.parse().map(Self::Principal);
        user().or_else(|_| group()).or_else(|_| principal()).map_err(|_| InvalidSubject)
    }
}

impl Serialize for GrantSubject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GrantSubject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl utoipa::PartialSchema for GrantSubject {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .pattern(Some("^(usr|grp|spn)_[0-7][0-9a-hjkmnp-tv-z]{25}$"))
            .into()
    }
}

impl utoipa::ToSchema for GrantSubject {}

/// What somebody may do with one thing, whatever their role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Grant {
    /// The grant's id.
    pub id: GrantId,
    /// To whom.
    pub subject: GrantSubject,
    /// What kind of thing.
    pub resource_type: ResourceType,
    /// Which one.
    pub resource_id: String,
    /// What is allowed.
    pub actions: Vec<GrantAction>,
    /// When it ends by itself.
    pub expires_at: Option<DateTime<Utc>>,
    /// Who granted it.
    pub granted_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// Grants something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateGrant {
    /// To whom: a member, a group or a service principal of the workspace.
    pub subject: GrantSubject,
    /// What kind of thing.
    pub resource_type: ResourceType,
    /// Which one, by its id.
    pub resource_id: String,
    /// What is allowed: of a model, `execute`.
    pub actions: Vec<GrantAction>,
    /// When it ends by itself; in the future.
    #[serde(default)]
    pub expires_at: Option<DateTime<Utc>>,
}

/// Why somebody may do something, or may not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Explanation {
    /// Who.
    pub subject: String,
    /// What: `model.call`.
    pub action: String,
    /// With what kind of thing.
    pub resource_type: Option<ResourceType>,
    /// With which one.
    pub resource_id: Option<String>,
    /// Whether they may.
    pub allowed: bool,
    /// The code they are refused with.
    pub code: Option<Code>,
    /// Everything that was looked at, in order.
    pub rules: Vec<ExplainedRule>,
}

/// One rule that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ExplainedRule {
    /// Which one.
    pub rule: AccessRule,
    /// What it says.
    pub outcome: RuleOutcome,
    /// The code it refuses with.
    pub code: Option<Code>,
    /// What it looked at.
    pub detail: String,
    /// The grant that allows.
    pub grant_id: Option<GrantId>,
    /// Whether it decides.
    pub decides: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_its_id() {
        let nil = crate::id::Uuid::nil();
        for subject in [
            GrantSubject::User(UserId::from_uuid(nil)),
            GrantSubject::Group(GroupId::from_uuid(nil)),
            GrantSubject::Principal(ServicePrincipalId::from_uuid(nil)),
        ] {
            assert_eq!(subject.to_string().parse(), Ok(subject));
        }
        for wrong in ["", "usr_", "key_00000000000000000000000000", "grp_x"] {
            assert_eq!(wrong.parse::<GrantSubject>(), Err(InvalidSubject), "{wrong}");
        }
    }
}
