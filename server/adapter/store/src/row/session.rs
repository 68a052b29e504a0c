//! `sessions`

use entity::session::{ActiveModel, Model};
use kernel::record::Session;
use sea_orm::ActiveValue::Set;
use types::id::{SessionId, UserId, WorkspaceId};

use super::{Corrupt, count, digest, number, word};

pub(crate) fn active(session: &Session) -> ActiveModel {
    let spent = session.spent_refresh.as_ref();
    ActiveModel {
        id: Set(session.id.as_uuid()),
        user_id: Set(session.user_id.as_uuid()),
        kind: Set(session.kind.to_string()),
        token: Set(session.token.0.to_vec()),
        refresh: Set(session.refresh.map(|refresh| refresh.0.to_vec())),
        spent_refresh: Set(spent.map(|(refresh, _)| refresh.0.to_vec())),
        spent_refresh_at: Set(spent.map(|(_, at)| *at)),
        workspace_id: Set(session.workspace_id.map(WorkspaceId::as_uuid)),
        client: Set(session.client.clone()),
        address: Set(session.address.clone()),
        mfa: Set(session.mfa.to_string()),
        elevated_until: Set(session.elevated_until),
        view_as: Set(session.view_as.map(|role| role.to_string())),
        created_at: Set(session.created_at),
        last_seen_at: Set(session.last_seen_at),
        token_expires_at: Set(session.token_expires_at),
        expires_at: Set(session.expires_at),
        ended_at: Set(session.ended_at),
        version: Set(number(session.version)),
    }
}

pub(crate) fn record(row: Model) -> Result<Session, Corrupt> {
    let refresh = |bytes: Option<Vec<u8>>, column| bytes.map(|bytes| digest(&bytes, column)).transpose();
    Ok(Session {
        id: SessionId::from_uuid(row.id),
        user_id: UserId::from_uuid(row.user_id),
        kind: word(&row.kind, "sessions.kind")?,
        token: digest(&row.token, "sessions.token")?,
        refresh: refresh(row.refresh, "sessions.refresh")?,
        spent_refresh: refresh(row.spent_refresh, "sessions.spent_refresh")?.zip(row.spent_refresh_at),
        workspace_id: row.workspace_id.map(WorkspaceId::from_uuid),
        client: row.client,
        address: row.address,
        mfa: word(&row.mfa, "sessions.mfa")?,
        elevated_until: row.elevated_until,
        view_as: row.view_as.map(|role| word(&role, "sessions.view_as")).transpose()?,
        created_at: row.created_at,
        last_seen_at: row.last_seen_at,
        token_expires_at: row.token_expires_at,
        expires_at: row.expires_at,
        ended_at: row.ended_at,
        version: count(row.version),
    })
}
