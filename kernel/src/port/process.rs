//! Processes: who is alive, and what the dead left behind.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::cost::Cost;
use types::id::{HoldId, ProcessId, RunId, StepId};

use super::StoreError;
use crate::context::Scope;
use crate::ledger::Fence;

/// A process as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessRow {
    /// The process and its epoch.
    pub fence: Fence,
    /// `all`, `api` …
    pub role: String,
    /// Its version.
    pub version: String,
    /// Its last heartbeat by the database's clock.
    pub beat_at: DateTime<Utc>,
}

/// One open step of a dead process's run.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCall {
    /// The step.
    pub step_id: StepId,
    /// Whether the effect was let out.
    pub sent: bool,
    /// Its hold, if one is open, and the cost row of the whole of it.
    pub hold: Option<(HoldId, Option<Cost>)>,
}

/// One request-bound run whose process died.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadWork {
    /// Where.
    pub scope: Scope,
    /// The run.
    pub run_id: RunId,
    /// Its open steps.
    pub calls: Vec<OpenCall>,
    /// Holds without an open step.
    pub stray_holds: Vec<HoldId>,
}

/// Registers processes and finds what dead ones left.
#[async_trait]
pub trait Processes: Send + Sync {
    /// Registers a process under a fresh epoch. `alone` says that no other can be alive (SQLite's file lock): earlier
    /// rows are declared dead.
    async fn register(&self, id: ProcessId, role: &str, version: &str, alone: bool) -> Result<Fence, StoreError>;
    /// A heartbeat; false when the process was declared dead.
    async fn beat(&self, fence: Fence) -> Result<bool, StoreError>;
    /// Declares dead what was silent longer than `silence` by the database's clock; returns how many.
    async fn bury(&self, silence: Duration) -> Result<u64, StoreError>;
    /// Says goodbye: the process is no longer alive.
    async fn close(&self, fence: Fence) -> Result<(), StoreError>;
    /// Unfinished request-bound runs of dead processes, oldest first, at most `limit`.
    async fn dead_work(&self, limit: u32) -> Result<Vec<DeadWork>, StoreError>;
    /// Live processes.
    async fn list_alive(&self) -> Result<Vec<ProcessRow>, StoreError>;
    /// The database's clock.
    async fn database_now(&self) -> Result<DateTime<Utc>, StoreError>;
}
