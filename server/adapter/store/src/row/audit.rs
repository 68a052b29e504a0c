//! `audit`

use entity::audit::ActiveModel;
use kernel::context::Scope;
use kernel::ledger::Audit;
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::RunId;

use super::{Corrupt, number, text};

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
