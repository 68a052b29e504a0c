//! What can be taken out as a file.

use crate::word::words;

words! {
    /// A kind of record that can be taken out.
    pub enum RecordType {
        /// Runs.
        Runs = "runs",
        /// Steps of runs.
        Steps = "steps",
        /// Cost rows.
        Costs = "costs",
        /// Audit rows.
        Audit = "audit",
        /// Tasks.
        Tasks = "tasks",
        /// Outbox events.
        Events = "events",
        /// Stored events of runs.
        RunEvents = "run_events",
        /// Content that is kept whole: what it is, not its bytes.
        Artifacts = "artifacts",
    }
}

impl RecordType {
    /// What a line of the file calls one of them.
    pub const fn one(self) -> &'static str {
        match self {
            Self::Runs => "run",
            Self::Steps => "step",
            Self::Costs => "cost",
            Self::Audit => "audit",
            Self::Tasks => "task",
            Self::Events => "event",
            Self::RunEvents => "run_event",
            Self::Artifacts => "artifact",
        }
    }
}
