//! `view_defaults`

use entity::view_defaults::{ActiveModel, Model};
use kernel::record::ViewDefaults;
use sea_orm::ActiveValue::Set;
use types::id::UserId;

use super::{Corrupt, count, document, number, scope, text};

pub(crate) fn active(defaults: &ViewDefaults) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        tenant_id: Set(defaults.scope.tenant_id.as_uuid()),
        workspace_id: Set(defaults.scope.workspace_id.as_uuid()),
        user_id: Set(defaults.user_id.as_uuid()),
        views: Set(text(&defaults.views, "view_defaults.views")?),
        version: Set(number(defaults.version)),
    })
}

pub(crate) fn record(row: Model) -> Result<ViewDefaults, Corrupt> {
    Ok(ViewDefaults {
        scope: scope(row.tenant_id, row.workspace_id),
        user_id: UserId::from_uuid(row.user_id),
        views: document(&row.views, "view_defaults.views")?,
        version: count(row.version),
    })
}
