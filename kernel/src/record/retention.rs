//! How long a workspace keeps what, what is held, and what a purge did.

use chrono::{DateTime, Utc};
use types::id::{LegalHoldId, RetentionReportId, RunId, Uuid};
use types::name::Name;
use types::retention::{KeptFor, PurgeCounts};
use types::run::Caller;

use crate::context::Scope;

/// How long a workspace keeps what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Tenant and workspace.
    pub scope: Scope,
    /// What was set.
    pub kept_for: KeptFor,
    /// When.
    pub updated_at: DateTime<Utc>,
    /// Row version.
    pub version: u64,
}

/// What is kept whatever its age. Runs of a hold never change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalHold {
    /// The hold's id.
    pub id: LegalHoldId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// What it is called.
    pub name: Name,
    /// Why there is one.
    pub reason: String,
    /// Only these runs, where any is named.
    pub run_ids: Vec<RunId>,
    /// Only those of this caller.
    pub caller_id: Option<String>,
    /// Only those that began then or later.
    pub starts_from: Option<DateTime<Utc>>,
    /// Only those that began before.
    pub starts_before: Option<DateTime<Utc>>,
    /// Who asked for it.
    pub created_by: Caller,
    /// When.
    pub created_at: DateTime<Utc>,
    /// How it was released; none while it holds.
    pub released: Option<Release>,
    /// Row version.
    pub version: u64,
}

/// How a hold was released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// When.
    pub at: DateTime<Utc>,
    /// By whom.
    pub by: Caller,
    /// Why.
    pub reason: String,
}

impl LegalHold {
    /// Whether it holds a run, or what belongs to one. What is not known of it (a run that is gone has no caller) matches
    /// nothing that is asked for.
    pub fn holds(&self, run_id: Option<RunId>, caller_id: Option<&str>, at: DateTime<Utc>) -> bool {
        self.released.is_none()
            && (self.run_ids.is_empty() || run_id.is_some_and(|id| self.run_ids.contains(&id)))
            && self.caller_id.as_deref().is_none_or(|wanted| caller_id == Some(wanted))
            && self.starts_from.is_none_or(|from| from <= at)
            && self.starts_before.is_none_or(|before| at < before)
    }
}

/// What a purge did, and who works at it as long as it is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionReport {
    /// The report's id.
    pub id: RetentionReportId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it was done.
    pub finished_at: Option<DateTime<Utc>>,
    /// Who works at it.
    pub claimed_by: Uuid,
    /// Until when nobody else takes it over.
    pub claimed_until: DateTime<Utc>,
    /// How much of what went so far.
    pub purged: PurgeCounts,
    /// Row version.
    pub version: u64,
}
