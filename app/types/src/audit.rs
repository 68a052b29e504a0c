//! Audit rows as readers see them, and which of them a list asks for.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AuditId, RunId};
use crate::run::{Caller, CallerKind, Term};
use crate::word::words;

words! {
    /// What an audited act came to.
    pub enum Outcome {
        /// A rule allowed it.
        Allowed = "allowed",
        /// A rule refused it.
        Denied = "denied",
        /// It was done.
        Done = "done",
        /// It was tried and failed.
        Failed = "failed",
    }
}

/// What an audited act was done to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AuditResource {
    /// What kind of thing: `api_key`, `budget`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id.
    pub id: String,
}

/// An audit row: who did what to which thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AuditEntry {
    /// The row's id.
    pub id: AuditId,
    /// Its number in the workspace, without gaps.
    pub seq: u64,
    /// Past-tense dotted name: `key.created`.
    pub event_type: String,
    /// `resource.action` of the permission matrix.
    pub operation: String,
    /// What it came to.
    pub outcome: Outcome,
    /// What it was done to.
    pub resource: AuditResource,
    /// Who did it.
    pub actor: Caller,
    /// The run it belongs to.
    pub run_id: Option<RunId>,
    /// The client's address.
    pub address: Option<String>,
    /// The credential used: id of a key or session.
    pub credential_id: Option<String>,
    /// Details, `before` and `after` among them where something changed; never a secret.
    pub payload: Value,
    /// When.
    pub occurred_at: DateTime<Utc>,
}

/// Filters of an audit list: several values of one filter mean *or*, different filters mean *and*.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditFilter {
    /// By these kinds of callers.
    pub actor_kind: Vec<Term<CallerKind>>,
    /// By these callers.
    pub actor_id: Vec<Term<String>>,
    /// On these kinds of things.
    pub resource_type: Vec<Term<String>>,
    /// On these things.
    pub resource_id: Vec<Term<String>>,
    /// Of these actions.
    pub operation: Vec<Term<String>>,
    /// Of these names.
    pub event_type: Vec<Term<String>>,
    /// That came to these.
    pub outcome: Vec<Term<Outcome>>,
    /// From these addresses.
    pub address: Vec<Term<String>>,
    /// Belonging to any of these runs.
    pub run_id: Vec<RunId>,
    /// At or after.
    pub since: Option<DateTime<Utc>>,
    /// Before.
    pub until: Option<DateTime<Utc>>,
}

impl AuditFilter {
    /// Most values of one filter.
    pub const MOST_VALUES: usize = 100;

    /// How many values each filter that takes several has.
    pub fn counts(&self) -> [(&'static str, usize); 9] {
        [
            ("actor_kind", self.actor_kind.len()),
            ("actor_id", self.actor_id.len()),
            ("resource_type", self.resource_type.len()),
            ("resource_id", self.resource_id.len()),
            ("operation", self.operation.len()),
            ("event_type", self.event_type.len()),
            ("outcome", self.outcome.len()),
            ("address", self.address.len()),
            ("run_id", self.run_id.len()),
        ]
    }
}

/// What a reader asks of the audit, which comes newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditQuery {
    /// Which rows.
    pub filter: AuditFilter,
    /// 1–200.
    pub limit: u32,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Default for AuditQuery {
    fn default() -> Self {
        Self { filter: AuditFilter::default(), limit: 50, cursor: None }
    }
}
