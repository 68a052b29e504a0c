//! `sso_links`

use entity::sso_link::{ActiveModel, Model};
use kernel::record::SsoLink;
use sea_orm::ActiveValue::Set;
use types::id::{SsoConnectionId, SsoLinkId, TenantId, UserId};

use super::{Corrupt, count, document, number, text};

pub(crate) fn active(link: &SsoLink) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(link.id.as_uuid()),
        user_id: Set(link.user_id.as_uuid()),
        tenant_id: Set(link.tenant_id.as_uuid()),
        connection_id: Set(link.connection_id.as_uuid()),
        issuer: Set(link.issuer.clone()),
        subject: Set(link.subject.clone()),
        email: Set(link.email.clone()),
        given: Set(text(&link.given, "sso_links.given")?),
        created_at: Set(link.created_at),
        last_used_at: Set(link.last_used_at),
        removed_at: Set(link.removed_at),
        version: Set(number(link.version)),
    })
}

pub(crate) fn record(row: Model) -> Result<SsoLink, Corrupt> {
    Ok(SsoLink {
        id: SsoLinkId::from_uuid(row.id),
        user_id: UserId::from_uuid(row.user_id),
        tenant_id: TenantId::from_uuid(row.tenant_id),
        connection_id: SsoConnectionId::from_uuid(row.connection_id),
        issuer: row.issuer,
        subject: row.subject,
        email: row.email,
        given: document(&row.given, "sso_links.given")?,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
        removed_at: row.removed_at,
        version: count(row.version),
    })
}
