//! Reading records as they are taken out: whole, oldest first.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use types::audit::AuditFilter;
use types::export::RecordType;
use types::id::{ArtifactId, AuditId, CostId, EventId, RunId, StepId, TaskId, Uuid};
use types::outbox::EventFilter;
use types::page::Page;
use types::run::RunQuery;

use super::StoreError;
use crate::context::Scope;

/// A record as it leaves: the fields of its kind's contract, in order.
pub type Record = Map<String, Value>;

/// What tells a record from others written at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaceKey {
    /// Its id.
    Id(Uuid),
    /// Its number in the workspace.
    Number(u64),
    /// The run it belongs to, and its number there.
    Part(Uuid, u64),
}

/// Where a record stands among those of its kind: when it was written, by the database's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When.
    pub created_at: DateTime<Utc>,
    /// And which of that moment.
    pub key: PlaceKey,
}

/// The name of a record one has already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastRecord {
    /// A step.
    Step(StepId),
    /// A cost row.
    Cost(CostId),
    /// A task.
    Task(TaskId),
    /// An audit row.
    Audit(AuditId),
    /// An outbox event.
    Event(EventId),
    /// A stored event of a run: run and offset.
    RunEvent(RunId, u64),
    /// An artifact.
    Artifact(ArtifactId),
}

/// Which records, but for runs, which have a list of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Records {
    /// Steps.
    Steps,
    /// Cost rows.
    Costs,
    /// Tasks.
    Tasks,
    /// Audit rows that match.
    Audit(AuditFilter),
    /// Outbox events that match.
    Events(EventFilter),
    /// Stored events of runs.
    RunEvents,
    /// Artifacts, but for sealed answers that are kept for a while.
    Artifacts,
}

impl Records {
    /// Their kind.
    pub const fn record_type(&self) -> RecordType {
        match self {
            Self::Steps => RecordType::Steps,
            Self::Costs => RecordType::Costs,
            Self::Tasks => RecordType::Tasks,
            Self::Audit(_) => RecordType::Audit,
            Self::Events(_) => RecordType::Events,
            Self::RunEvents => RecordType::RunEvents,
            Self::Artifacts => RecordType::Artifacts,
        }
    }
}

/// A page of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordQuery {
    /// Which.
    pub records: Records,
    /// Written at or after.
    pub since: Option<DateTime<Utc>>,
    /// Written before.
    pub until: Option<DateTime<Utc>>,
    /// Behind this place.
    pub after: Option<Place>,
    /// At most so many, 1–200.
    pub limit: u32,
}

/// A record and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedRecord {
    /// Its place.
    pub place: Place,
    /// The record.
    pub record: Record,
}

/// Reads records. What lies outside the scope is not there.
#[async_trait]
pub trait Exports: Send + Sync {
    /// One page of runs, as a list of them is asked for.
    async fn list_run_records(&self, scope: Scope, query: &RunQuery) -> Result<Page<Record>, StoreError>;
    /// Where a record stands.
    async fn find_place(&self, scope: Scope, last: LastRecord) -> Result<Option<Place>, StoreError>;
    /// One page of records, oldest first.
    async fn list_records(&self, scope: Scope, query: &RecordQuery) -> Result<Vec<PlacedRecord>, StoreError>;
}
