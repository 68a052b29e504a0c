//! `steps`

use entity::step::{ActiveModel, Column, Model};
use kernel::context::Scope;
use kernel::ledger::{NewStep, StepState};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::Value;
use types::id::{ArtifactId, CallId, RunId, StepId};
use types::run::Step;

use super::{Corrupt, content, count, document, failure, number, small, text, word};

pub(crate) fn active(scope: Scope, step: &NewStep, seq: u32, state: &StepState) -> Result<ActiveModel, Corrupt> {
    let end = state.end.as_ref();
    let error = end.and_then(|end| end.error.as_ref());
    let metrics = end.map_or(&step.metrics, |end| &end.metrics);
    Ok(ActiveModel {
        id: Set(step.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        run_id: Set(step.run_id.as_uuid()),
        seq: Set(i64::from(seq)),
        parent_step_id: Set(step.parent_step_id.map(StepId::as_uuid)),
        call_id: Set(step.call_id.map(CallId::as_uuid)),
        step_type: Set(step.step_type.to_string()),
        status: Set(state.status.to_string()),
        attempt_no: Set(i64::from(step.attempt_no)),
        effect: Set(step.effect.to_string()),
        decision: Set(text(&step.decision, "steps.decision")?),
        request_digest: Set(step.request_digest.clone()),
        input_preview: Set(step.input.preview.clone()),
        input_chars: Set(number(step.input.chars)),
        output_preview: Set(end.and_then(|end| end.output.preview.clone())),
        output_chars: Set(end.map_or(0, |end| number(end.output.chars))),
        metrics: Set(text(metrics, "steps.metrics")?),
        error_code: Set(error.map(|error| error.code.clone())),
        error_message: Set(error.map(|error| error.message.clone())),
        started_at: Set(step.started_at),
        outbound_at: Set(state.outbound_at),
        ended_at: Set(end.map(|end| end.ended_at)),
        latency_ms: Set(latency_ms(state)),
        ttft_ms: Set(end.and_then(|end| end.ttft_ms).map(number)),
        created_at: NotSet,
        input_artifact_id: Set(end.and_then(|end| end.input_artifact).map(ArtifactId::as_uuid)),
        output_artifact_id: Set(end.and_then(|end| end.output.artifact_id).map(ArtifactId::as_uuid)),
    })
}

fn latency_ms(state: &StepState) -> Option<i64> {
    state.end.as_ref().map(|end| (end.ended_at - state.started_at).num_milliseconds().max(0))
}

/// What is written when a step closes, as [`closed`] lists it.
pub(crate) const CLOSED: [Column; 12] = [
    Column::Status,
    Column::OutboundAt,
    Column::EndedAt,
    Column::LatencyMs,
    Column::TtftMs,
    Column::ErrorCode,
    Column::ErrorMessage,
    Column::OutputPreview,
    Column::OutputChars,
    Column::Metrics,
    Column::InputArtifactId,
    Column::OutputArtifactId,
];

/// The values of a step that closed; `None` while it is open.
pub(crate) fn closed(state: &StepState) -> Result<Option<Vec<Value>>, Corrupt> {
    let Some(end) = &state.end else { return Ok(None) };
    let error = end.error.as_ref();
    Ok(Some(vec![
        state.status.as_str().into(),
        state.outbound_at.into(),
        Some(end.ended_at).into(),
        latency_ms(state).into(),
        end.ttft_ms.map(number).into(),
        error.map(|error| error.code.clone()).into(),
        error.map(|error| error.message.clone()).into(),
        end.output.preview.clone().into(),
        number(end.output.chars).into(),
        text(&end.metrics, "steps.metrics")?.into(),
        end.input_artifact.map(ArtifactId::as_uuid).into(),
        end.output.artifact_id.map(ArtifactId::as_uuid).into(),
    ]))
}

pub(crate) fn record(row: Model) -> Result<Step, Corrupt> {
    Ok(Step {
        id: StepId::from_uuid(row.id),
        run_id: RunId::from_uuid(row.run_id),
        seq: small(row.seq),
        parent_step_id: row.parent_step_id.map(StepId::from_uuid),
        call_id: row.call_id.map(CallId::from_uuid),
        step_type: word(&row.step_type, "steps.step_type")?,
        status: word(&row.status, "steps.status")?,
        attempt_no: small(row.attempt_no),
        effect: word(&row.effect, "steps.effect")?,
        decision: document(&row.decision, "steps.decision")?,
        request_digest: row.request_digest,
        input: content(row.input_preview, row.input_chars, row.input_artifact_id),
        output: content(row.output_preview, row.output_chars, row.output_artifact_id),
        metrics: document(&row.metrics, "steps.metrics")?,
        error: failure(row.error_code, row.error_message, None),
        started_at: row.started_at,
        outbound_at: row.outbound_at,
        ended_at: row.ended_at,
        latency_ms: row.latency_ms.map(count),
        ttft_ms: row.ttft_ms.map(count),
    })
}
