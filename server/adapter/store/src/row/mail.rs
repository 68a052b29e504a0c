//! `mails`

use entity::mail::{ActiveModel, Model};
use kernel::record::{Applicant, Mail};
use sea_orm::ActiveValue::Set;
use types::id::{InvitationId, MailId, UserId};

use super::{Corrupt, count, digest, number, word};

pub(crate) fn active(mail: &Mail) -> ActiveModel {
    ActiveModel {
        id: Set(mail.id.as_uuid()),
        kind: Set(mail.kind.to_string()),
        user_id: Set(mail.user_id.map(|id| id.as_uuid())),
        invitation_id: Set(mail.invitation_id.map(|id| id.as_uuid())),
        email: Set(mail.email.clone()),
        email_key: Set(mail.email_key.clone()),
        language: Set(mail.language.to_string()),
        digest: Set(mail.digest.map(|digest| digest.0.to_vec())),
        name: Set(mail.applicant.as_ref().map(|applicant| applicant.name.to_string())),
        password_hash: Set(mail.applicant.as_ref().map(|applicant| applicant.password_hash.clone())),
        created_at: Set(mail.created_at),
        expires_at: Set(mail.expires_at),
        used_at: Set(mail.used_at),
        version: Set(number(mail.version)),
    }
}

pub(crate) fn record(row: Model) -> Result<Mail, Corrupt> {
    let name = row.name.map(|name| word(&name, "mails.name")).transpose()?;
    Ok(Mail {
        id: MailId::from_uuid(row.id),
        kind: word(&row.kind, "mails.kind")?,
        user_id: row.user_id.map(UserId::from_uuid),
        invitation_id: row.invitation_id.map(InvitationId::from_uuid),
        email: row.email,
        email_key: row.email_key,
        language: word(&row.language, "mails.language")?,
        digest: row.digest.map(|bytes| digest(&bytes, "mails.digest")).transpose()?,
        applicant: name.zip(row.password_hash).map(|(name, password_hash)| Applicant { name, password_hash }),
        created_at: row.created_at,
        expires_at: row.expires_at,
        used_at: row.used_at,
        version: count(row.version),
    })
}
