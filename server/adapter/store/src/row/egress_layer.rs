//! `egress_layers`

use entity::egress_layer::{ActiveModel, Model};
use kernel::record::EgressLayer;
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::RevisionId;

use super::{Corrupt, count, document, number, scope, text};

pub(crate) fn active(layer: &EgressLayer) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        workspace_id: Set(layer.scope.workspace_id.as_uuid()),
        tenant_id: Set(layer.scope.tenant_id.as_uuid()),
        revision_id: Set(layer.revision_id.as_uuid()),
        policy: Set(text(&layer.policy, "egress_layers.policy")?),
        version: Set(number(layer.version)),
        created_at: NotSet,
    })
}

pub(crate) fn record(row: &Model) -> Result<EgressLayer, Corrupt> {
    Ok(EgressLayer {
        scope: scope(row.tenant_id, row.workspace_id),
        revision_id: RevisionId::from_uuid(row.revision_id),
        policy: document(&row.policy, "egress_layers.policy")?,
        version: count(row.version),
    })
}
