//! An order to replay: what the new run says of the one it comes from, and what is to be different.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use types::id::RunId;
use types::replay::{ReplayKind, ReplayTools};
use types::run::{Run, Source};

use crate::context::OpContext;
use crate::ledger::{Audit, NewRun, NewRunEvent, Op};
use crate::port::Ids;

/// The event that says how a run came out of another one: among the first of the run.
pub(super) const STARTED: &str = "run.replay_started";
/// The event that says what a repetition came to: right before the last of the run.
pub(crate) const COMPARED: &str = "run.replay_compared";

/// The mark of a run that repeated another one.
pub(super) const REEXECUTED: &str = "reexecuted";

/// What is to be different.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The model.
    pub model_ref: Option<String>,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// Parameters; null takes one out.
    pub params: BTreeMap<String, Value>,
    /// What goes in.
    pub input: Option<Value>,
}

impl Change {
    /// The fields that are given anew, as the caller named them.
    fn names(&self) -> Vec<String> {
        let given = [
            (self.model_ref.is_some(), "model_ref"),
            (self.system_prompt.is_some(), "system_prompt"),
            (self.input.is_some(), "input"),
        ];
        let given = given.into_iter().filter(|(is_given, _)| *is_given).map(|(_, name)| name.to_owned());
        given.chain(self.params.keys().map(|name| format!("params.{name}"))).collect()
    }
}

/// An order to replay a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The new run.
    pub run_id: RunId,
    /// How it comes out of the other one.
    pub kind: ReplayKind,
    /// The other one.
    pub source_run_id: RunId,
    /// Which attempt the new run is.
    pub attempt_no: u32,
    /// The first step that is made anew; 1 where all are.
    pub from_seq: u32,
    /// What becomes of tool calls, of forks.
    pub tools: Option<ReplayTools>,
    /// What is to be different.
    pub change: Change,
}

impl Order {
    /// An order for a run of its own.
    pub(super) fn of(source: &Run, run_id: RunId, kind: ReplayKind) -> Self {
        let attempt_no = if kind == ReplayKind::Rerun { source.attempt_no.saturating_add(1) } else { 1 };
        let source_run_id = source.id;
        let change = Change::default();
        Self { run_id, kind, source_run_id, attempt_no, from_seq: 1, tools: None, change }
    }

    /// The new run with what it says of the other one. All but those that are done again are rehearsals.
    pub fn mark(&self, run: NewRun) -> NewRun {
        let is_rehearsal = self.kind != ReplayKind::Rerun;
        NewRun {
            source: if is_rehearsal { Source::Rehearsal } else { run.source },
            sandbox: is_rehearsal || run.sandbox,
            source_run_id: Some(self.source_run_id),
            attempt_no: self.attempt_no,
            ..run
        }
    }

    /// The marks of the run when it is over.
    pub fn flag(&self) -> &'static str {
        match self.kind {
            ReplayKind::Rerun => "rerun",
            ReplayKind::Reexecute => REEXECUTED,
            ReplayKind::Fork => "forked",
        }
    }

    /// The event and the audit row that say how the run `run_id` came out of the other one: of values that are content, only
    /// that they were given.
    pub fn told(&self, ctx: &OpContext, ids: &dyn Ids, run_id: RunId, at: DateTime<Utc>) -> [Op; 2] {
        let is_fork = self.kind == ReplayKind::Fork;
        let told = json!({
            "kind": self.kind,
            "source_run_id": self.source_run_id,
            "from_seq": is_fork.then_some(self.from_seq),
            "tools": self.tools,
            "overrides": self.change.names(),
        });
        let (name, operation) = match self.kind {
            ReplayKind::Rerun => ("run.rerun", "run.retry"),
            ReplayKind::Reexecute => ("run.reexecuted", "run.replay"),
            ReplayKind::Fork => ("run.forked", "run.replay"),
        };
        let event = NewRunEvent { run_id, event_type: STARTED, step_id: None, payload: told.clone(), occurred_at: at };
        let audit = Audit::done(ctx, ids, name, operation, ("run", self.source_run_id)).with_payload(told);
        [Op::RunEventAppend(Arc::new(event)), Audit { run_id: Some(run_id), ..audit }.into()]
    }
}
