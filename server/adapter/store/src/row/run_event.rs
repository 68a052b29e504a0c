//! `run_events`

use entity::run_event::{ActiveModel, Model};
use kernel::context::Scope;
use kernel::ledger::NewRunEvent;
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::{RunId, StepId};
use types::run::RunEvent;

use super::{Corrupt, count, document, number, text};

pub(crate) fn active(scope: Scope, event: &NewRunEvent, offset: u64) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        run_id: Set(event.run_id.as_uuid()),
        offset: Set(number(offset)),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        event_type: Set(event.event_type.to_owned()),
        step_id: Set(event.step_id.map(StepId::as_uuid)),
        payload: Set(text(&event.payload, "run_events.payload")?),
        occurred_at: Set(event.occurred_at),
        created_at: NotSet,
    })
}

pub(crate) fn record(row: Model) -> Result<RunEvent, Corrupt> {
    Ok(RunEvent {
        run_id: RunId::from_uuid(row.run_id),
        offset: count(row.offset),
        event_type: row.event_type,
        step_id: row.step_id.map(StepId::from_uuid),
        payload: document(&row.payload, "run_events.payload")?,
        occurred_at: row.occurred_at,
    })
}
