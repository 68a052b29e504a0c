//! A run as its record has it: loaded whole, or refused.

use futures::StreamExt;
use serde_json::Value;
use types::artifact::ArtifactKind;
use types::problem::Code;
use types::run::{Run, Step};

use super::Replays;
use super::recording::{RecordedCall, Recording};
use crate::context::Scope;
use crate::error::{Error, Result};

/// Most bytes of the recordings of a run.
const MOST: u64 = 64 * 1024 * 1024;

/// A run as its record has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The run.
    pub run: Run,
    /// Its steps, by `seq`.
    pub steps: Vec<Step>,
    /// What was asked for, in the form of its mode.
    pub request: Value,
    /// The calls it made, by the order of their steps.
    pub calls: Vec<RecordedCall>,
}

impl Recorded {
    /// The steps that stand before a `seq`.
    pub fn before(&self, seq: u32) -> Vec<Step> {
        self.steps.iter().filter(|step| step.seq < seq).cloned().collect()
    }

    /// The steps that were themselves taken from a record: those before the first that made a call.
    pub fn taken_over(&self) -> u32 {
        let made = |step: &&Step| self.calls.iter().any(|call| call.step_id == step.id);
        self.steps.iter().find(made).map_or(1, |step| step.seq)
    }

    /// The recorded call of each step from `seq` on, which all of them must have.
    pub fn calls_from(&self, seq: u32) -> Result<Vec<(Step, RecordedCall)>> {
        let steps = self.steps.iter().filter(|step| step.seq >= seq);
        let call = |step: &Step| {
            let call = self.calls.iter().find(|call| call.step_id == step.id).cloned();
            let missing = || not_kept(format!("the answer of step {} was not recorded whole", step.seq));
            call.map(|call| (step.clone(), call)).ok_or_else(missing)
        };
        let calls = steps.map(call).collect::<Result<Vec<_>>>()?;
        if calls.is_empty() {
            return Err(not_kept("the run made no call, so there is nothing to repeat".to_owned()));
        }
        Ok(calls)
    }
}

impl Replays {
    /// The record of a run that is over.
    pub(super) async fn recorded(&self, scope: Scope, run: Run) -> Result<Recorded> {
        let kept = self.ports.library.list(scope, run.id).await?;
        let recordings = kept.into_iter().filter(|artifact| artifact.kind == ArtifactKind::Messages);
        let (mut request, mut calls, mut left) = (None, Vec::new(), MOST);
        for artifact in recordings {
            left = left.checked_sub(artifact.size).ok_or_else(|| not_kept("it is too long".to_owned()))?;
            let Some(mut opened) = self.ports.library.open(scope, Some(run.id), artifact.id).await? else { continue };
            let mut bytes = Vec::new();
            while let Some(piece) = opened.body.next().await {
                bytes.extend(piece?);
            }
            let Some(recording) = Recording::read(&bytes) else { continue };
            request = request.or(recording.request);
            calls.extend(recording.calls);
        }
        let request = request.ok_or_else(|| not_kept("what went into the run was not kept whole".to_owned()))?;
        let steps = self.ports.runs.list_steps(scope, run.id).await?;
        Ok(Recorded { run, steps, request, calls })
    }
}

fn not_kept(why: String) -> Error {
    Error::new(Code::ContentNotKept, format!("{why}, and a preview is not enough to replay it"))
}
