//! `users`

use entity::user::{ActiveModel, Model};
use kernel::record::User;
use sea_orm::ActiveValue::Set;
use types::id::UserId;

use super::{Corrupt, count, number, word};

pub(crate) fn active(user: &User) -> ActiveModel {
    ActiveModel {
        id: Set(user.id.as_uuid()),
        email: Set(user.email.clone()),
        email_key: Set(user.email_key.clone()),
        name: Set(user.name.to_string()),
        status: Set(user.status.to_string()),
        is_operator: Set(user.is_operator),
        password_hash: Set(user.password_hash.clone()),
        default_password: Set(user.default_password),
        version: Set(number(user.version)),
        created_at: Set(user.created_at),
        email_verified_at: Set(user.email_verified_at),
        closes_at: Set(user.closes_at),
    }
}

pub(crate) fn record(row: Model) -> Result<User, Corrupt> {
    Ok(User {
        id: UserId::from_uuid(row.id),
        email: row.email,
        email_key: row.email_key,
        name: word(&row.name, "users.name")?,
        status: word(&row.status, "users.status")?,
        is_operator: row.is_operator,
        password_hash: row.password_hash,
        default_password: row.default_password,
        created_at: row.created_at,
        email_verified_at: row.email_verified_at,
        closes_at: row.closes_at,
        version: count(row.version),
    })
}
