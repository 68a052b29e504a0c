//! Typed ids: UUIDv7 inside, `prefix_` + 26 characters of lower-case Crockford base32 outside.
//!
//! Sortable by time, safe in URLs, and greppable. Invariant: a bare `Uuid` appears only here, in `entity` and on the
//! first line of an adapter.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
/// The UUID inside every id, for the `Ids` port and the store.
pub use uuid::Uuid;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Why a text is not an id of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id like `{prefix}_01j…`")]
pub struct InvalidId {
    text: String,
    prefix: &'static str,
}

fn encode(value: u128, out: &mut String) {
    for index in (0..26).rev() {
        let digit = usize::try_from((value >> (index * 5)) & 31).unwrap_or_default();
        out.push(ALPHABET.get(digit).copied().map_or('0', char::from));
    }
}

fn decode(text: &str) -> Option<u128> {
    if text.len() != 26 {
        return None;
    }
    let mut value: u128 = 0;
    for (index, byte) in text.bytes().enumerate() {
        let digit = ALPHABET.iter().position(|letter| *letter == byte)?;
        if index == 0 && digit > 7 {
            return None;
        }
        value = (value << 5) | u128::try_from(digit).ok()?;
    }
    Some(value)
}

macro_rules! id {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// What every id of this kind starts with, before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Wraps a UUID made by the `Ids` port or read from the store.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID inside, for the store.
            pub const fn as_uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = String::with_capacity(Self::PREFIX.len() + 27);
                text.push_str(Self::PREFIX);
                text.push('_');
                encode(self.0.as_u128(), &mut text);
                f.pad(&text)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> {
                text.strip_prefix(Self::PREFIX)
                    .and_then(|rest| rest.strip_prefix('_'))
                    .and_then(decode)
                    .map(|value| Self(Uuid::from_u128(value)))
                    .ok_or_else(|| InvalidId { text: text.chars().take(80).collect(), prefix: Self::PREFIX })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some(concat!("^", $prefix, "_[0-7][0-9a-hjkmnp-tv-z]{25}$")))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )+};
}

id! {
    /// A tenant: the outermost wall.
    TenantId = "ten";
    /// A workspace of a tenant.
    WorkspaceId = "wsp";
    /// A person with an account.
    UserId = "usr";
    /// A service principal: a named non-person that acts.
    ServicePrincipalId = "spn";
    /// A group of members.
    GroupId = "grp";
    /// A grant: what somebody may do with one thing.
    GrantId = "grt";
    /// An API key (its secret has no id).
    ApiKeyId = "key";
    /// One live or revoked secret of an API key.
    KeySecretId = "ksc";
    /// A signed-in session, console or API.
    SessionId = "ses";
    /// A saved view of a list.
    ViewId = "viw";
    /// A mail to be sent (the token in it has no id).
    MailId = "mal";
    /// What somebody says of a run.
    FeedbackId = "fbk";
    /// What is kept whatever its age, for a court or an inquiry.
    LegalHoldId = "lgh";
    /// What one purge of a workspace did.
    RetentionReportId = "rtr";
    /// An invitation into a workspace (its token has no id).
    InvitationId = "inv";
    /// A running soit process.
    ProcessId = "pcs";
    /// A run: one execution of any kind.
    RunId = "run";
    /// A step of a run: one observable unit.
    StepId = "stp";
    /// The call that several attempts (steps) belong to.
    CallId = "cal";
    /// A task: work that outlives its request.
    TaskId = "tsk";
    /// One metered attempt's cost row.
    CostId = "cst";
    /// A worst-case hold on counters; lives exactly as long as its step.
    HoldId = "hld";
    /// An audit row.
    AuditId = "aud";
    /// Content that is kept whole.
    ArtifactId = "art";
    /// An outbox event.
    EventId = "evt";
    /// A budget.
    BudgetId = "bdg";
    /// A provider account.
    ProviderId = "prv";
    /// A model of a provider account.
    ModelId = "mdl";
    /// A price.
    PriceId = "prc";
    /// The question for a second factor, between two steps of a sign-in.
    MfaChallengeId = "mfc";
    /// A connection of a tenant to an identity provider.
    SsoConnectionId = "idc";
    /// An account at an identity provider, linked to one here.
    SsoLinkId = "idl";
    /// A sign-out that an identity provider told of.
    SsoLogoutId = "slo";
    /// A sealed secret.
    SecretId = "sec";
    /// One egress rule.
    EgressRuleId = "egr";
    /// A revision of a policy document.
    RevisionId = "rev";
    /// One HTTP request.
    RequestId = "req";
    /// One form as a page showed it: a form that is sent again carries the same key.
    FormKey = "frk";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_the_way_to_text_and_back() {
        let id = RunId::from_uuid(Uuid::from_u128(0x0191_2345_6789_7abc_8def_0123_4567_89ab));
        let text = id.to_string();
        assert_eq!(text.len(), 30);
        assert_eq!(text.parse::<RunId>(), Ok(id));
    }

    #[test]
    fn another_kind_a_wrong_length_and_foreign_letters_are_refused() {
        for text in [
            "usr_01jz8k0000000000000000000a",
            "run_01",
            "run_81jz8k0000000000000000000a",
            "run_01jz8k000000000000000000il",
        ] {
            assert!(text.parse::<RunId>().is_err(), "{text}");
        }
    }

    #[test]
    fn text_order_is_time_order() {
        let early = RunId::from_uuid(Uuid::from_u128(1 << 90));
        let late = RunId::from_uuid(Uuid::from_u128(1 << 91));
        assert!(early.to_string() < late.to_string());
    }
}
