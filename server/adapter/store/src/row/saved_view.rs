//! `saved_views`

use entity::saved_view::{ActiveModel, Model};
use kernel::record::SavedView;
use sea_orm::ActiveValue::Set;
use types::id::{UserId, ViewId};

use super::{Corrupt, count, number, scope, word};

pub(crate) fn active(view: &SavedView) -> ActiveModel {
    ActiveModel {
        id: Set(view.id.as_uuid()),
        tenant_id: Set(view.scope.tenant_id.as_uuid()),
        workspace_id: Set(view.scope.workspace_id.as_uuid()),
        owner_id: Set(view.owner_id.as_uuid()),
        page: Set(view.page.to_string()),
        name: Set(view.name.to_string()),
        name_key: Set(view.name_key.clone()),
        query: Set(view.query.clone()),
        shared: Set(view.shared),
        created_at: Set(view.created_at),
        updated_at: Set(view.updated_at),
        deleted_at: Set(view.deleted_at),
        version: Set(number(view.version)),
    }
}

pub(crate) fn record(row: Model) -> Result<SavedView, Corrupt> {
    Ok(SavedView {
        id: ViewId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        owner_id: UserId::from_uuid(row.owner_id),
        page: word(&row.page, "saved_views.page")?,
        name: word(&row.name, "saved_views.name")?,
        name_key: row.name_key,
        query: row.query,
        shared: row.shared,
        created_at: row.created_at,
        updated_at: row.updated_at,
        deleted_at: row.deleted_at,
        version: count(row.version),
    })
}
