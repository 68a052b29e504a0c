//! `sso_logouts`

use entity::sso_logout::ActiveModel;
use kernel::record::SsoLogout;
use sea_orm::ActiveValue::Set;

use super::number;

pub(crate) fn active(logout: &SsoLogout) -> ActiveModel {
    ActiveModel {
        id: Set(logout.id.as_uuid()),
        connection_id: Set(logout.connection_id.as_uuid()),
        expires_at: Set(logout.expires_at),
        version: Set(number(logout.version)),
    }
}
