//! `runs`

use std::sync::Arc;

use entity::run::{ActiveModel, Column, Model};
use kernel::context::Scope;
use kernel::ledger::{Dimensions, NewRun, RunState};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::prelude::DateTimeUtc;
use sea_orm::{FromQueryResult, Value};
use types::id::{ApiKeyId, ArtifactId, RequestId, RunId, StepId, UserId, Uuid, WorkspaceId};
use types::run::{Caller, Run};

use super::{Corrupt, content, count, document, failure, number, scope, small, text, word};
use crate::dialect::{FromRecord, Record};
use crate::error::Trouble;

/// The moving part of a run as the ledger loads it. How it ended is not loaded: what is ended never ends again.
pub(crate) struct MovingRun {
    id: Uuid,
    tenant_id: Uuid,
    workspace_id: Uuid,
    status: String,
    steps: i64,
    events: i64,
    emitted: i64,
    open_steps: i64,
    open_holds: i64,
    totals: String,
    refusals: i64,
    dimensions: StoredDimensions,
}

/// What the counters of a run are told apart by, as columns.
#[derive(Clone, FromQueryResult)]
pub(crate) struct StoredDimensions {
    started_at: DateTimeUtc,
    mode: String,
    source: String,
    entry: String,
    caller_kind: String,
    caller_id: String,
    api_key_id: Option<Uuid>,
    model_ref: Option<String>,
    labels: String,
    sandbox: bool,
}

impl StoredDimensions {
    pub(crate) const COLUMNS: [Column; 10] = [
        Column::StartedAt,
        Column::Mode,
        Column::Source,
        Column::Entry,
        Column::CallerKind,
        Column::CallerId,
        Column::ApiKeyId,
        Column::ModelRef,
        Column::Labels,
        Column::Sandbox,
    ];

    pub(crate) fn read(self) -> Result<Dimensions, Corrupt> {
        Ok(Dimensions {
            started_at: self.started_at,
            mode: word(&self.mode, "runs.mode")?,
            source: word(&self.source, "runs.source")?,
            entry: word(&self.entry, "runs.entry")?,
            caller: Caller { kind: word(&self.caller_kind, "runs.caller_kind")?, id: self.caller_id },
            api_key_id: self.api_key_id.map(ApiKeyId::from_uuid),
            model_ref: self.model_ref,
            labels: self.labels,
            sandbox: self.sandbox,
        })
    }
}

impl MovingRun {
    pub(crate) const COLUMNS: [Column; 21] = [
        Column::Id,
        Column::TenantId,
        Column::WorkspaceId,
        Column::Status,
        Column::Steps,
        Column::Events,
        Column::Emitted,
        Column::OpenSteps,
        Column::OpenHolds,
        Column::Totals,
        Column::Refusals,
        Column::StartedAt,
        Column::Mode,
        Column::Source,
        Column::Entry,
        Column::CallerKind,
        Column::CallerId,
        Column::ApiKeyId,
        Column::ModelRef,
        Column::Labels,
        Column::Sandbox,
    ];

    pub(crate) fn state(self) -> Result<(RunId, Scope, RunState), Corrupt> {
        let state = RunState {
            status: word(&self.status, "runs.status")?,
            dimensions: Arc::new(self.dimensions.read()?),
            steps: small(self.steps),
            events: count(self.events),
            emitted: count(self.emitted),
            open_steps: small(self.open_steps),
            open_holds: small(self.open_holds),
            totals: document(&self.totals, "runs.totals")?,
            refusals: small(self.refusals),
            end: None,
        };
        Ok((RunId::from_uuid(self.id), scope(self.tenant_id, self.workspace_id), state))
    }
}

impl FromRecord for MovingRun {
    fn read(record: &Record<'_>) -> Result<Self, Trouble> {
        Ok(Self {
            id: record.get(0)?,
            tenant_id: record.get(1)?,
            workspace_id: record.get(2)?,
            status: record.get(3)?,
            steps: record.get(4)?,
            events: record.get(5)?,
            emitted: record.get(6)?,
            open_steps: record.get(7)?,
            open_holds: record.get(8)?,
            totals: record.get(9)?,
            refusals: record.get(10)?,
            dimensions: StoredDimensions {
                started_at: record.get(11)?,
                mode: record.get(12)?,
                source: record.get(13)?,
                entry: record.get(14)?,
                caller_kind: record.get(15)?,
                caller_id: record.get(16)?,
                api_key_id: record.get(17)?,
                model_ref: record.get(18)?,
                labels: record.get(19)?,
                sandbox: record.get(20)?,
            },
        })
    }
}

pub(crate) fn active(scope: Scope, run: &NewRun, state: &RunState) -> Result<ActiveModel, Corrupt> {
    let end = state.end.as_ref();
    let error = end.and_then(|end| end.error.as_ref());
    Ok(ActiveModel {
        id: Set(run.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        mode: Set(run.mode.to_string()),
        source: Set(run.source.to_string()),
        entry: Set(run.entry.to_string()),
        caller_kind: Set(run.caller.kind.to_string()),
        caller_id: Set(run.caller.id.clone()),
        user_id: Set(run.user_id.map(UserId::as_uuid)),
        api_key_id: Set(run.api_key_id.map(ApiKeyId::as_uuid)),
        root_run_id: Set(run.root_run_id.as_uuid()),
        parent_run_id: Set(run.parent_run_id.map(RunId::as_uuid)),
        source_run_id: Set(run.source_run_id.map(RunId::as_uuid)),
        attempt_no: Set(i64::from(run.attempt_no)),
        capture: Set(run.capture.to_string()),
        trace_id: Set(run.trace_id.clone()),
        request_id: Set(run.request_id.map(RequestId::as_uuid)),
        policy_revision: Set(run.policy_revision.clone()),
        sandbox: Set(run.sandbox),
        model_ref: Set(run.model_ref.clone()),
        input_preview: Set(run.input.preview.clone()),
        input_chars: Set(number(run.input.chars)),
        labels: Set(text(&run.labels, "runs.labels")?),
        owner_process_id: Set(run.owner.map(|owner| owner.process_id.as_uuid())),
        owner_epoch: Set(run.owner.map(|owner| number(owner.epoch))),
        started_at: Set(run.started_at),
        status: Set(state.status.to_string()),
        steps: Set(i64::from(state.steps)),
        events: Set(number(state.events)),
        emitted: Set(number(state.emitted)),
        open_steps: Set(i64::from(state.open_steps)),
        open_holds: Set(i64::from(state.open_holds)),
        totals: Set(text(&state.totals, "runs.totals")?),
        ended_at: Set(end.map(|end| end.ended_at)),
        duration_ms: Set(duration_ms(state)),
        error_code: Set(error.map(|error| error.code.clone())),
        error_message: Set(error.map(|error| error.message.clone())),
        error_step_id: Set(error.and_then(|error| error.step_id).map(StepId::as_uuid)),
        output_preview: Set(end.and_then(|end| end.output.preview.clone())),
        output_chars: Set(end.map_or(0, |end| number(end.output.chars))),
        delivered: Set(end.and_then(|end| end.delivered)),
        flags: Set(text(end.map_or(&[][..], |end| &end.flags), "runs.flags")?),
        refusals: Set(i64::from(state.refusals)),
        created_at: NotSet,
        changed_at: NotSet,
        input_artifact_id: Set(end.and_then(|end| end.input_artifact).map(ArtifactId::as_uuid)),
        output_artifact_id: Set(end.and_then(|end| end.output.artifact_id).map(ArtifactId::as_uuid)),
        salt: Set(run.salt.map(|salt| salt.to_vec())),
    })
}

fn duration_ms(state: &RunState) -> Option<i64> {
    state.end.as_ref().map(|end| (end.ended_at - state.dimensions.started_at).num_milliseconds().max(0))
}

/// What moves while a run is open, as [`moving`] lists it.
pub(crate) const MOVING: [Column; 8] = {
    use Column as C;
    [C::Status, C::Steps, C::Events, C::Emitted, C::OpenSteps, C::OpenHolds, C::Totals, C::Refusals]
};

/// What is written once, when a run ends, as [`ended`] lists it.
pub(crate) const ENDED: [Column; 11] = {
    use Column as C;
    [
        C::EndedAt,
        C::DurationMs,
        C::ErrorCode,
        C::ErrorMessage,
        C::ErrorStepId,
        C::OutputPreview,
        C::OutputChars,
        C::Delivered,
        C::Flags,
        C::InputArtifactId,
        C::OutputArtifactId,
    ]
};

pub(crate) fn moving(state: &RunState) -> Result<Vec<Value>, Corrupt> {
    Ok(vec![
        state.status.as_str().into(),
        i64::from(state.steps).into(),
        number(state.events).into(),
        number(state.emitted).into(),
        i64::from(state.open_steps).into(),
        i64::from(state.open_holds).into(),
        text(&state.totals, "runs.totals")?.into(),
        i64::from(state.refusals).into(),
    ])
}

pub(crate) fn ended(state: &RunState) -> Result<Vec<Value>, Corrupt> {
    let end = state.end.as_ref();
    let error = end.and_then(|end| end.error.as_ref());
    Ok(vec![
        end.map(|end| end.ended_at).into(),
        duration_ms(state).into(),
        error.map(|error| error.code.clone()).into(),
        error.map(|error| error.message.clone()).into(),
        error.and_then(|error| error.step_id).map(StepId::as_uuid).into(),
        end.and_then(|end| end.output.preview.clone()).into(),
        end.map_or(0, |end| number(end.output.chars)).into(),
        end.and_then(|end| end.delivered).into(),
        text(end.map_or(&[][..], |end| &end.flags), "runs.flags")?.into(),
        end.and_then(|end| end.input_artifact).map(ArtifactId::as_uuid).into(),
        end.and_then(|end| end.output.artifact_id).map(ArtifactId::as_uuid).into(),
    ])
}

pub(crate) fn record(row: Model) -> Result<Run, Corrupt> {
    Ok(Run {
        id: RunId::from_uuid(row.id),
        workspace_id: WorkspaceId::from_uuid(row.workspace_id),
        mode: word(&row.mode, "runs.mode")?,
        source: word(&row.source, "runs.source")?,
        entry: word(&row.entry, "runs.entry")?,
        status: word(&row.status, "runs.status")?,
        caller: Caller { kind: word(&row.caller_kind, "runs.caller_kind")?, id: row.caller_id },
        user_id: row.user_id.map(UserId::from_uuid),
        api_key_id: row.api_key_id.map(ApiKeyId::from_uuid),
        root_run_id: RunId::from_uuid(row.root_run_id),
        parent_run_id: row.parent_run_id.map(RunId::from_uuid),
        source_run_id: row.source_run_id.map(RunId::from_uuid),
        attempt_no: small(row.attempt_no),
        capture: word(&row.capture, "runs.capture")?,
        trace_id: row.trace_id,
        request_id: row.request_id.map(RequestId::from_uuid),
        policy_revision: row.policy_revision,
        sandbox: row.sandbox,
        model_ref: row.model_ref,
        input: content(row.input_preview, row.input_chars, row.input_artifact_id),
        output: content(row.output_preview, row.output_chars, row.output_artifact_id),
        labels: document(&row.labels, "runs.labels")?,
        started_at: row.started_at,
        ended_at: row.ended_at,
        duration_ms: row.duration_ms.map(count),
        error: failure(row.error_code, row.error_message, row.error_step_id),
        totals: document(&row.totals, "runs.totals")?,
        delivered: row.delivered,
        flags: document(&row.flags, "runs.flags")?,
        refusals: small(row.refusals),
    })
}
