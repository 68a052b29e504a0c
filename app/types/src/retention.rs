//! How long a workspace keeps what, what is held whatever its age, and what a purge did.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::{LegalHoldId, RetentionReportId, RunId};
use crate::name::Name;
use crate::run::Caller;
use crate::word::words;

words! {
    /// What has a time of its own.
    pub enum RetentionClass {
        /// Texts, artifacts and comments of runs.
        Content = "content",
        /// Runs with their steps and events.
        Runs = "runs",
        /// Cost rows.
        Costs = "costs",
        /// Audit rows.
        Audit = "audit",
        /// Outbox events.
        Events = "events",
    }
}

words! {
    /// What a purge counts.
    pub enum Purged {
        /// Runs whose content was erased.
        Content = "content",
        /// Runs.
        Runs = "runs",
        /// Steps.
        Steps = "steps",
        /// Stored events of runs.
        RunEvents = "run_events",
        /// Artifacts.
        Artifacts = "artifacts",
        /// Bytes of artifacts.
        Bytes = "bytes",
        /// Comments that were erased, or went with their run.
        Comments = "comments",
        /// Cost rows.
        Costs = "costs",
        /// Audit rows.
        Audit = "audit",
        /// Outbox events.
        Events = "events",
    }
}

/// How much of what went.
pub type PurgeCounts = BTreeMap<Purged, u64>;

impl RetentionClass {
    /// The least number of days it may be kept.
    pub const fn least_days(self) -> u32 {
        match self {
            Self::Content | Self::Runs => 1,
            Self::Costs => 400,
            Self::Audit => 365,
            Self::Events => 7,
        }
    }

    /// How long it is kept where nothing is said.
    pub const fn default_keep(self) -> Keep {
        match self {
            Self::Events => Keep::Days(90),
            Self::Content | Self::Runs | Self::Costs | Self::Audit => Keep::Forever,
        }
    }
}

/// How long something is kept: a number of days, or `keep`. Shorter times come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keep {
    /// So many days.
    Days(u32),
    /// For good.
    Forever,
}

/// The word of what is kept for good.
const KEEP: &str = "keep";
/// What is no time to keep something.
const NO_KEEP: &str = "must be a number of days or `keep`";

impl Keep {
    /// The days; none for good.
    pub const fn days(self) -> Option<u32> {
        match self {
            Self::Days(days) => Some(days),
            Self::Forever => None,
        }
    }

    /// What a number of days says; none is for good.
    pub fn of_days(days: Option<u32>) -> Self {
        days.map_or(Self::Forever, Self::Days)
    }
}

impl Display for Keep {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Days(days) => write!(f, "{days}"),
            Self::Forever => f.write_str(KEEP),
        }
    }
}

impl FromStr for Keep {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == KEEP { Ok(Self::Forever) } else { text.parse().map(Self::Days).map_err(|_| NO_KEEP) }
    }
}

impl Serialize for Keep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Days(days) => serializer.serialize_u32(*days),
            Self::Forever => serializer.serialize_str(KEEP),
        }
    }
}

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Days(u32),
            Word(String),
        }
        match Written::deserialize(deserializer).map_err(|_| serde::de::Error::custom(NO_KEEP))? {
            Written::Days(days) => Ok(Self::Days(days)),
            Written::Word(word) if word == KEEP => Ok(Self::Forever),
            Written::Word(_) => Err(serde::de::Error::custom(NO_KEEP)),
        }
    }
}

impl utoipa::PartialSchema for Keep {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
        OneOfBuilder::new()
            .item(ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).description(Some("Days")))
            .item(ObjectBuilder::new().schema_type(Type::String).enum_values(Some([KEEP])))
            .into()
    }
}

impl utoipa::ToSchema for Keep {}

/// How long a workspace keeps what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeptFor {
    /// Texts, artifacts and comments of runs: from 1 day on.
    pub content: Keep,
    /// Runs with their steps and events: at least as long as their content.
    pub runs: Keep,
    /// Cost rows: from 400 days on.
    pub costs: Keep,
    /// Audit rows: from 365 days on.
    pub audit: Keep,
    /// Outbox events: from 7 days on.
    pub events: Keep,
}

impl Default for KeptFor {
    fn default() -> Self {
        Self {
            content: RetentionClass::Content.default_keep(),
            runs: RetentionClass::Runs.default_keep(),
            costs: RetentionClass::Costs.default_keep(),
            audit: RetentionClass::Audit.default_keep(),
            events: RetentionClass::Events.default_keep(),
        }
    }
}

impl KeptFor {
    /// How long a class is kept.
    pub const fn of(&self, class: RetentionClass) -> Keep {
        match class {
            RetentionClass::Content => self.content,
            RetentionClass::Runs => self.runs,
            RetentionClass::Costs => self.costs,
            RetentionClass::Audit => self.audit,
            RetentionClass::Events => self.events,
        }
    }

    /// The same with another time for one class.
    #[must_use]
    pub const fn with(mut self, class: RetentionClass, keep: Keep) -> Self {
        match class {
            RetentionClass::Content => self.content = keep,
            RetentionClass::Runs => self.runs = keep,
            RetentionClass::Costs => self.costs = keep,
            RetentionClass::Audit => self.audit = keep,
            RetentionClass::Events => self.events = keep,
        }
        self
    }
}

/// What binds every workspace of a tenant: days by class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetentionBounds {
    /// The least number of days.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, u32>)]
    pub floor: BTreeMap<RetentionClass, u32>,
    /// The most number of days.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, u32>)]
    pub ceiling: BTreeMap<RetentionClass, u32>,
}

/// How long a workspace keeps what, and what binds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Retention {
    /// Texts, artifacts and comments of runs.
    pub content: Keep,
    /// Runs with their steps and events.
    pub runs: Keep,
    /// Cost rows.
    pub costs: Keep,
    /// Audit rows.
    pub audit: Keep,
    /// Outbox events.
    pub events: Keep,
    /// What counts, within the bounds of the tenant.
    pub effective: KeptFor,
    /// What the tenant demands of all its workspaces.
    pub bounds: RetentionBounds,
    /// Of the row; 0 where nothing was ever set.
    pub version: u64,
}

/// Which runs are held, and what hangs on them: those that everything said is true of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldFilter {
    /// These runs, at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_ids: Vec<RunId>,
    /// Those of this person or service principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_id: Option<String>,
    /// Those that began at this time or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<DateTime<Utc>>,
    /// Those that began before this time; without it, later ones too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<DateTime<Utc>>,
}

impl HoldFilter {
    /// Whether it says nothing at all.
    pub fn is_empty(&self) -> bool {
        self.run_ids.is_empty() && self.caller_id.is_none() && self.from.is_none() && self.to.is_none()
    }
}

/// What is kept whatever its age, until somebody releases it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LegalHold {
    /// Its id.
    pub id: LegalHoldId,
    /// What it is called.
    pub name: Name,
    /// Why there is one.
    pub reason: String,
    /// Which runs.
    pub filter: HoldFilter,
    /// Who asked for it.
    pub created_by: Caller,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When it was released; none while it holds.
    pub released_at: Option<DateTime<Utc>>,
    /// Who released it.
    pub released_by: Option<Caller>,
    /// Why.
    pub release_reason: Option<String>,
}

/// Holds what the filter says, whatever its age.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateLegalHold {
    /// What it is called.
    pub name: Name,
    /// Why there is one: 1 to 2,000 characters.
    pub reason: String,
    /// Which runs.
    pub filter: HoldFilter,
}

/// Releases a legal hold: what it held goes when its time is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseLegalHold {
    /// Why: 1 to 2,000 characters.
    pub reason: String,
}

/// What one purge of a workspace did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RetentionReport {
    /// Its id.
    pub id: RetentionReportId,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it was done; none while it goes on.
    pub finished_at: Option<DateTime<Utc>>,
    /// How much of what went.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub purged: PurgeCounts,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_to_keep_is_days_or_the_word_keep() {
        for (keep, json) in [(Keep::Days(30), "30"), (Keep::Forever, "\"keep\"")] {
            assert_eq!(serde_json::to_string(&keep).expect("json"), json);
            assert_eq!(serde_json::from_str::<Keep>(json).expect("a time"), keep);
            assert_eq!(keep.to_string().parse(), Ok(keep));
        }
        for wrong in ["\"30\"", "-1", "1.5", "null", "\"forever\""] {
            let error = serde_json::from_str::<Keep>(wrong).expect_err(wrong).to_string();
            assert!(error.contains(NO_KEEP), "{error}");
        }
        assert!(Keep::Days(9_999) < Keep::Forever);
    }
}
