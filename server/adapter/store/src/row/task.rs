//! `tasks`

use entity::task::{ActiveModel, Column, Model};
use kernel::context::Scope;
use kernel::ledger::{NewTask, TaskState};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::Value;
use sea_orm::prelude::DateTimeUtc;
use types::id::{ArtifactId, ProcessId, RunId, StepId, TaskId, UserId, Uuid};
use types::outbox::{DeadLetter, DeadLetterKind};
use types::run::Caller;
use types::task::{Task, TaskProgress, TaskSubject};

use super::{Corrupt, count, document, failure, number, scope, small, text, word};
use crate::dialect::{FromRecord, Record};
use crate::error::Trouble;

/// The moving part of a task as the ledger loads it.
pub(crate) struct MovingTask {
    id: Uuid,
    tenant_id: Uuid,
    workspace_id: Uuid,
    run_id: Option<Uuid>,
    status: String,
    epoch: i64,
    attempts: i64,
    redrives: i64,
    available_at: DateTimeUtc,
    lease_owner: Option<Uuid>,
    lease_until: Option<DateTimeUtc>,
    progress: Option<String>,
    error_code: Option<String>,
    error_message: Option<String>,
    error_step_id: Option<Uuid>,
    output_artifact_id: Option<Uuid>,
    discard_reason: Option<String>,
    finished_at: Option<DateTimeUtc>,
}

impl MovingTask {
    pub(crate) const COLUMNS: [Column; 18] = {
        use Column as C;
        [
            C::Id,
            C::TenantId,
            C::WorkspaceId,
            C::RunId,
            C::Status,
            C::Epoch,
            C::Attempts,
            C::Redrives,
            C::AvailableAt,
            C::LeaseOwner,
            C::LeaseUntil,
            C::Progress,
            C::ErrorCode,
            C::ErrorMessage,
            C::ErrorStepId,
            C::OutputArtifactId,
            C::DiscardReason,
            C::FinishedAt,
        ]
    };

    pub(crate) fn state(self) -> Result<(TaskId, Scope, TaskState), Corrupt> {
        let state = TaskState {
            run_id: self.run_id.map(RunId::from_uuid),
            status: word(&self.status, "tasks.status")?,
            epoch: count(self.epoch),
            attempts: small(self.attempts),
            redrives: small(self.redrives),
            available_at: self.available_at,
            lease_owner: self.lease_owner.map(ProcessId::from_uuid),
            lease_until: self.lease_until,
            progress: progress(self.progress.as_deref())?,
            error: failure(self.error_code, self.error_message, self.error_step_id),
            output_artifact: self.output_artifact_id.map(ArtifactId::from_uuid),
            discard_reason: self.discard_reason,
            finished_at: self.finished_at,
        };
        Ok((TaskId::from_uuid(self.id), scope(self.tenant_id, self.workspace_id), state))
    }
}

impl FromRecord for MovingTask {
    fn read(record: &Record<'_>) -> Result<Self, Trouble> {
        Ok(Self {
            id: record.get(0)?,
            tenant_id: record.get(1)?,
            workspace_id: record.get(2)?,
            run_id: record.get(3)?,
            status: record.get(4)?,
            epoch: record.get(5)?,
            attempts: record.get(6)?,
            redrives: record.get(7)?,
            available_at: record.get(8)?,
            lease_owner: record.get(9)?,
            lease_until: record.get(10)?,
            progress: record.get(11)?,
            error_code: record.get(12)?,
            error_message: record.get(13)?,
            error_step_id: record.get(14)?,
            output_artifact_id: record.get(15)?,
            discard_reason: record.get(16)?,
            finished_at: record.get(17)?,
        })
    }
}

pub(crate) fn active(scope: Scope, task: &NewTask, state: &TaskState) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(task.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        task_type: Set(task.task_type.clone()),
        max_attempts: Set(i64::from(task.max_attempts)),
        subject_kind: Set(task.subject.kind.clone()),
        subject_id: Set(task.subject.id.clone()),
        caller_kind: Set(task.caller.kind.to_string()),
        caller_id: Set(task.caller.id.clone()),
        user_id: Set(task.user_id.map(UserId::as_uuid)),
        run_id: Set(task.run_id.map(RunId::as_uuid)),
        params: Set(text(&task.params, "tasks.params")?),
        input_artifact_id: Set(task.input_artifact.map(ArtifactId::as_uuid)),
        status: Set(state.status.to_string()),
        epoch: Set(number(state.epoch)),
        attempts: Set(i64::from(state.attempts)),
        redrives: Set(i64::from(state.redrives)),
        available_at: Set(state.available_at),
        lease_owner: Set(state.lease_owner.map(ProcessId::as_uuid)),
        lease_until: Set(state.lease_until),
        progress: Set(told(state)?),
        error_code: Set(state.error.as_ref().map(|error| error.code.clone())),
        error_message: Set(state.error.as_ref().map(|error| error.message.clone())),
        error_step_id: Set(state.error.as_ref().and_then(|error| error.step_id).map(StepId::as_uuid)),
        output_artifact_id: Set(state.output_artifact.map(ArtifactId::as_uuid)),
        discard_reason: Set(state.discard_reason.clone()),
        finished_at: Set(state.finished_at),
        created_at: NotSet,
        changed_at: NotSet,
    })
}

/// What moves, as [`moving`] lists it.
pub(crate) const MOVING: [Column; 14] = {
    use Column as C;
    [
        C::Status,
        C::Epoch,
        C::Attempts,
        C::Redrives,
        C::AvailableAt,
        C::LeaseOwner,
        C::LeaseUntil,
        C::Progress,
        C::ErrorCode,
        C::ErrorMessage,
        C::ErrorStepId,
        C::OutputArtifactId,
        C::DiscardReason,
        C::FinishedAt,
    ]
};

pub(crate) fn moving(state: &TaskState) -> Result<Vec<Value>, Corrupt> {
    let error = state.error.as_ref();
    Ok(vec![
        state.status.as_str().into(),
        number(state.epoch).into(),
        i64::from(state.attempts).into(),
        i64::from(state.redrives).into(),
        state.available_at.into(),
        state.lease_owner.map(ProcessId::as_uuid).into(),
        state.lease_until.into(),
        told(state)?.into(),
        error.map(|error| error.code.clone()).into(),
        error.map(|error| error.message.clone()).into(),
        error.and_then(|error| error.step_id).map(StepId::as_uuid).into(),
        state.output_artifact.map(ArtifactId::as_uuid).into(),
        state.discard_reason.clone().into(),
        state.finished_at.into(),
    ])
}

fn told(state: &TaskState) -> Result<Option<String>, Corrupt> {
    state.progress.as_ref().map(|progress| text(progress, "tasks.progress")).transpose()
}

fn progress(column: Option<&str>) -> Result<Option<TaskProgress>, Corrupt> {
    column.map(|column| document(column, "tasks.progress")).transpose()
}

/// A task as readers see it.
pub(crate) fn record(row: Model) -> Result<Task, Corrupt> {
    Ok(Task {
        id: TaskId::from_uuid(row.id),
        task_type: row.task_type,
        status: word(&row.status, "tasks.status")?,
        epoch: count(row.epoch),
        attempts: small(row.attempts),
        max_attempts: small(row.max_attempts),
        redrives: small(row.redrives),
        available_at: row.available_at,
        subject: TaskSubject { kind: row.subject_kind, id: row.subject_id },
        caller: Caller { kind: word(&row.caller_kind, "tasks.caller_kind")?, id: row.caller_id },
        user_id: row.user_id.map(UserId::from_uuid),
        run_id: row.run_id.map(RunId::from_uuid),
        params: document(&row.params, "tasks.params")?,
        input_artifact_id: row.input_artifact_id.map(ArtifactId::from_uuid),
        output_artifact_id: row.output_artifact_id.map(ArtifactId::from_uuid),
        progress: progress(row.progress.as_deref())?,
        lease_owner: row.lease_owner.map(ProcessId::from_uuid),
        lease_until: row.lease_until,
        last_error: failure(row.error_code, row.error_message, row.error_step_id),
        discard_reason: row.discard_reason,
        created_at: row.created_at,
        changed_at: row.changed_at,
        finished_at: row.finished_at,
    })
}

/// A task that was given up.
pub(crate) fn dead_letter(row: Model) -> DeadLetter {
    DeadLetter {
        kind: DeadLetterKind::Task,
        id: TaskId::from_uuid(row.id).to_string(),
        consumer: row.task_type,
        event_type: kernel::task::FAILED.to_owned(),
        subject: row.subject_id,
        subject_seq: None,
        attempts: small(row.attempts),
        redrives: small(row.redrives),
        error: row.error_message,
        occurred_at: row.created_at,
        died_at: row.finished_at.unwrap_or(row.changed_at),
    }
}
