//! What a preview does not hold: long texts of a call, kept whole before the batch that names them.

use std::sync::Arc;

use futures::future::join;
use types::id::{ArtifactId, StepId};

use super::flight::{Ended, Flight};
use super::preview;
use crate::artifact::Of;
use crate::ledger::NewArtifact;

/// What went into a call, where it is kept whole: once, however many attempts it takes.
#[derive(Debug, Default)]
pub(super) struct Input {
    artifact: Option<Arc<NewArtifact>>,
    /// Whether its row is written: with the end of the first attempt.
    pub(super) is_written: bool,
}

/// What the end of an attempt names.
pub(super) struct Kept {
    pub(super) input: Option<ArtifactId>,
    pub(super) output: Option<ArtifactId>,
    /// Those whose rows are still to be written.
    pub(super) artifacts: Vec<Arc<NewArtifact>>,
    /// Whether something was to be kept that is not.
    pub(super) is_partial: bool,
}

impl Flight {
    /// Keeps what a preview does not hold. Short texts cost nothing here; long ones wait for the artifact store no longer than
    /// its patience, and the run says so where they are not kept.
    pub(super) async fn keep(&mut self, ended: &Ended) -> Kept {
        let capture = self.call.plan.capture;
        let texts = self.call.wish.texts.iter().map(String::as_str);
        let input = if self.input.artifact.is_some() { None } else { preview::whole(texts, capture) };
        let output = preview::whole(std::iter::once(ended.trace.said.text.as_str()), capture);
        let step_id = self.attempt.step_id;
        let (input, output) = join(self.artifact(input, None), self.artifact(output, Some(step_id))).await;
        let is_partial = input.is_err() || output.is_err();
        if let Ok(Some(input)) = input {
            self.input.artifact = Some(input);
        }
        let input = self.input.artifact.clone();
        let output = output.ok().flatten();
        let unwritten = input.iter().filter(|_| !self.input.is_written);
        Kept {
            artifacts: unwritten.chain(&output).cloned().collect(),
            input: input.map(|artifact| artifact.id),
            output: output.map(|artifact| artifact.id),
            is_partial,
        }
    }

    async fn artifact(
        &self,
        text: Option<String>,
        step_id: Option<StepId>,
    ) -> Result<Option<Arc<NewArtifact>>, NotKept> {
        let Some(text) = text else { return Ok(None) };
        let of = Of { run_id: Some(self.call.run_id), step_id, expires_at: None };
        let kept = self.gateway.ports.keeper.keep(self.call.ctx.scope, text.into_bytes(), of).await;
        kept.map(Some).map_err(|_| NotKept)
    }
}

/// The artifact store did not take it; the keeper told the log.
struct NotKept;
