//! Whole rows as they are taken out: what readers see of them, and the columns they do not.

use kernel::context::Scope;
use kernel::port::Record;
use serde::Serialize;
use serde_json::{Value, json};
use types::artifact::Artifact;
use types::id::{ProcessId, TenantId, UserId, WorkspaceId};

use super::Corrupt;
use crate::read::Payer;

/// What readers see, with more members.
fn with(view: &impl Serialize, column: &'static str, more: Value) -> Result<Record, Corrupt> {
    let view = serde_json::to_value(view).map_err(|problem| Corrupt::new(column, problem))?;
    let (Value::Object(mut record), Value::Object(more)) = (view, more) else {
        return Err(Corrupt::new(column, "no object"));
    };
    record.extend(more);
    Ok(record)
}

pub(crate) fn run(row: entity::run::Model) -> Result<Record, Corrupt> {
    let more = json!({
        "tenant_id": TenantId::from_uuid(row.tenant_id),
        "user_id": row.user_id.map(UserId::from_uuid),
        "steps": row.steps,
        "events": row.events,
        "emitted": row.emitted,
        "open_steps": row.open_steps,
        "open_holds": row.open_holds,
        "owner_process_id": row.owner_process_id.map(ProcessId::from_uuid),
        "owner_epoch": row.owner_epoch,
        "created_at": row.created_at,
        "changed_at": row.changed_at,
    });
    with(&super::run::record(row)?, "runs", more)
}

pub(crate) fn step(row: entity::step::Model) -> Result<Record, Corrupt> {
    let more = json!({
        "tenant_id": TenantId::from_uuid(row.tenant_id),
        "workspace_id": WorkspaceId::from_uuid(row.workspace_id),
        "created_at": row.created_at,
    });
    with(&super::step::record(row)?, "steps", more)
}

pub(crate) fn cost(row: entity::cost::Model, payer: Option<&Payer>) -> Result<Record, Corrupt> {
    // A run may be gone before its costs.
    let more = json!({
        "caller": payer.map(|payer| &payer.caller),
        "labels": payer.map_or_else(|| json!({}), |payer| payer.labels.clone()),
        "tenant_id": TenantId::from_uuid(row.tenant_id),
        "workspace_id": WorkspaceId::from_uuid(row.workspace_id),
        "created_at": row.created_at,
    });
    with(&super::cost::record(row)?, "costs", more)
}

pub(crate) fn audit(row: entity::audit::Model) -> Result<Record, Corrupt> {
    let more = json!({
        "tenant_id": TenantId::from_uuid(row.tenant_id),
        "workspace_id": WorkspaceId::from_uuid(row.workspace_id),
        "created_at": row.created_at,
    });
    with(&super::audit::record(row)?, "audit", more)
}

pub(crate) fn task(row: entity::task::Model) -> Result<Record, Corrupt> {
    let more = json!({
        "tenant_id": TenantId::from_uuid(row.tenant_id),
        "workspace_id": WorkspaceId::from_uuid(row.workspace_id),
    });
    with(&super::task::record(row)?, "tasks", more)
}

pub(crate) fn event(row: entity::event::Model) -> Result<Record, Corrupt> {
    let more = json!({
        "tenant_id": TenantId::from_uuid(row.tenant_id),
        "workspace_id": WorkspaceId::from_uuid(row.workspace_id),
        "created_at": row.created_at,
    });
    with(&super::event::record(row)?, "events", more)
}

pub(crate) fn artifact(scope: Scope, view: &Artifact) -> Result<Record, Corrupt> {
    let more = json!({ "tenant_id": scope.tenant_id, "workspace_id": scope.workspace_id });
    with(view, "artifacts", more)
}

pub(crate) fn run_event(row: entity::run_event::Model) -> Result<Record, Corrupt> {
    let more = json!({
        "tenant_id": TenantId::from_uuid(row.tenant_id),
        "workspace_id": WorkspaceId::from_uuid(row.workspace_id),
        "created_at": row.created_at,
    });
    with(&super::run_event::record(row)?, "run_events", more)
}
