//! `tenants`

use entity::tenant::{ActiveModel, Model};
use kernel::record::Tenant;
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::TenantId;

use super::{Corrupt, count, number, word};

pub(crate) fn active(tenant: &Tenant) -> ActiveModel {
    ActiveModel {
        id: Set(tenant.id.as_uuid()),
        name: Set(tenant.name.to_string()),
        slug: Set(tenant.slug.to_string()),
        active: Set(tenant.active),
        auth_epoch: NotSet,
        version: Set(number(tenant.version)),
        created_at: NotSet,
        retention_bounds: NotSet,
        content_capture: Set(tenant.content_capture.to_string()),
        deleted_at: Set(tenant.deleted_at),
    }
}

pub(crate) fn record(row: Model) -> Result<Tenant, Corrupt> {
    Ok(Tenant {
        id: TenantId::from_uuid(row.id),
        name: word(&row.name, "tenants.name")?,
        slug: word(&row.slug, "tenants.slug")?,
        active: row.active,
        content_capture: word(&row.content_capture, "tenants.content_capture")?,
        deleted_at: row.deleted_at,
        version: count(row.version),
    })
}
