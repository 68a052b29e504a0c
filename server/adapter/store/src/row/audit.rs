//! `audit`

use entity::audit::{ActiveModel, Model};
use kernel::context::Scope;
use kernel::ledger::Audit;
use sea_orm::ActiveValue::{NotSet, Set};
use types::audit::{AuditEntry, AuditResource};
use types::id::{AuditId, RunId};
use types::run::Caller;

use super::{Corrupt, count, document, number, text, word};

pub(crate) fn active(scope: Scope, audit: &Audit, seq: u64) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(audit.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        seq: Set(number(seq)),
        event_type: Set(audit.event_type.clone()),
        operation: Set(audit.operation.clone()),
        outcome: Set(audit.outcome.as_str().to_owned()),
        resource_type: Set(audit.resource_type.clone()),
        resource_id: Set(audit.resource_id.clone()),
        actor_kind: Set(audit.actor.kind.to_string()),
        actor_id: Set(audit.actor.id.clone()),
        run_id: Set(audit.run_id.map(RunId::as_uuid)),
        address: Set(audit.address.clone()),
        credential_id: Set(audit.credential_id.clone()),
        payload: Set(text(&audit.payload, "audit.payload")?),
        occurred_at: Set(audit.occurred_at),
        created_at: NotSet,
    })
}

pub(crate) fn record(row: Model) -> Result<AuditEntry, Corrupt> {
    Ok(AuditEntry {
        id: AuditId::from_uuid(row.id),
        seq: count(row.seq),
        event_type: row.event_type,
        operation: row.operation,
        outcome: word(&row.outcome, "audit.outcome")?,
        resource: AuditResource { kind: row.resource_type, id: row.resource_id },
        actor: Caller { kind: word(&row.actor_kind, "audit.actor_kind")?, id: row.actor_id },
        run_id: row.run_id.map(RunId::from_uuid),
        address: row.address,
        credential_id: row.credential_id,
        payload: document(&row.payload, "audit.payload")?,
        occurred_at: row.occurred_at,
    })
}
