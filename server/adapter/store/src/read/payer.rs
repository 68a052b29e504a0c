//! Who asked, and under which labels, by the runs of cost rows.

use std::collections::{BTreeSet, HashMap};

use entity::run;
use kernel::context::Scope;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use types::id::Uuid;
use types::run::Caller;

use crate::row::{document, word};

/// Who a cost row is for, by its run.
pub(crate) struct Payer {
    pub(crate) caller: Caller,
    pub(crate) labels: serde_json::Value,
}

/// Of each of these runs.
pub(super) async fn payers<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    runs: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, Payer>, DbErr> {
    let runs: BTreeSet<Uuid> = runs.collect();
    if runs.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, String, String, String)> = run::Entity::find()
        .select_only()
        .columns([run::Column::Id, run::Column::CallerKind, run::Column::CallerId, run::Column::Labels])
        .filter(run::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(run::Column::Id.is_in(runs))
        .into_tuple()
        .all(db)
        .await?;
    let mut payers = HashMap::with_capacity(rows.len());
    for (id, kind, caller_id, labels) in rows {
        let caller = Caller { kind: word(&kind, "runs.caller_kind")?, id: caller_id };
        payers.insert(id, Payer { caller, labels: document(&labels, "runs.labels")? });
    }
    Ok(payers)
}
