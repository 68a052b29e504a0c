//! `sso_sessions`

use entity::sso_session::ActiveModel;
use kernel::record::SsoSession;
use sea_orm::ActiveValue::Set;

use super::number;

pub(crate) fn active(opened: &SsoSession) -> ActiveModel {
    ActiveModel {
        session_id: Set(opened.session_id.as_uuid()),
        connection_id: Set(opened.connection_id.as_uuid()),
        link_id: Set(opened.link_id.as_uuid()),
        sid: Set(opened.sid.clone()),
        version: Set(number(opened.version)),
    }
}
