//! How a run came out of another one, read from its own events.

use serde::Deserialize;
use serde_json::Value;
use types::id::RunId;
use types::replay::{Divergence, Replay, ReplayKind, ReplayOutcome, ReplayTools};
use types::run::{Run, RunEvent};

use super::Replays;
use super::order::{COMPARED, REEXECUTED, STARTED};
use crate::context::Scope;
use crate::error::Result;
use crate::port::EventRange;

/// Events read at once.
const EVENTS: u32 = 1_000;
/// What says how a run began is among the first of its events.
const FIRST: u32 = 8;

#[derive(Deserialize)]
struct Started {
    kind: ReplayKind,
    source_run_id: RunId,
    from_seq: Option<u32>,
    tools: Option<ReplayTools>,
    #[serde(default)]
    overrides: Vec<String>,
}

#[derive(Deserialize)]
struct Compared {
    outcome: ReplayOutcome,
    divergence: Option<Divergence>,
}

impl Replays {
    /// How a run came out of another one, if it did.
    pub(super) async fn replay_of(&self, scope: Scope, run: &Run) -> Result<Option<Replay>> {
        if run.source_run_id.is_none() {
            return Ok(None);
        }
        // What a repetition came to is among its last ones: most have no more than are read at once.
        let is_compared = run.status.is_final() && run.flags.iter().any(|flag| flag == REEXECUTED);
        let range = EventRange { after: 0, limit: if is_compared { EVENTS } else { FIRST } };
        let first = self.ports.runs.list_run_events(scope, run.id, range).await?;
        let Some(started) = found::<Started>(&first, STARTED) else { return Ok(None) };
        let compared = match started.kind {
            ReplayKind::Reexecute if run.status.is_final() => self.compared(scope, run.id, first).await?,
            _ => None,
        };
        let Started { kind, source_run_id, from_seq, tools, overrides } = started;
        let (outcome, divergence) = compared.map_or((None, None), |told| (Some(told.outcome), told.divergence));
        Ok(Some(Replay { kind, source_run_id, from_seq, tools, overrides, outcome, divergence }))
    }

    async fn compared(&self, scope: Scope, id: RunId, mut events: Vec<RunEvent>) -> Result<Option<Compared>> {
        loop {
            if let Some(compared) = found(&events, COMPARED) {
                return Ok(Some(compared));
            }
            let Some(after) = events.last().map(|event| event.offset) else { return Ok(None) };
            events = self.ports.runs.list_run_events(scope, id, EventRange { after, limit: EVENTS }).await?;
        }
    }
}

fn found<T: for<'de> Deserialize<'de>>(events: &[RunEvent], name: &str) -> Option<T> {
    let payload: &Value = &events.iter().find(|event| event.event_type == name)?.payload;
    T::deserialize(payload).ok()
}
