//! `mfa_challenges`

use entity::mfa_challenge::{ActiveModel, Model};
use kernel::record::MfaChallenge;
use sea_orm::ActiveValue::Set;
use types::id::{MfaChallengeId, UserId};

use super::{Corrupt, count, digest, number, small, word};

pub(crate) fn active(challenge: &MfaChallenge) -> ActiveModel {
    ActiveModel {
        id: Set(challenge.id.as_uuid()),
        user_id: Set(challenge.user_id.as_uuid()),
        kind: Set(challenge.kind.to_string()),
        digest: Set(challenge.digest.0.to_vec()),
        wrong: Set(i64::from(challenge.wrong)),
        created_at: Set(challenge.created_at),
        expires_at: Set(challenge.expires_at),
        spent_at: Set(challenge.spent_at),
        version: Set(number(challenge.version)),
    }
}

pub(crate) fn record(row: Model) -> Result<MfaChallenge, Corrupt> {
    Ok(MfaChallenge {
        id: MfaChallengeId::from_uuid(row.id),
        user_id: UserId::from_uuid(row.user_id),
        kind: word(&row.kind, "mfa_challenges.kind")?,
        digest: digest(&row.digest, "mfa_challenges.digest")?,
        wrong: small(row.wrong),
        created_at: row.created_at,
        expires_at: row.expires_at,
        spent_at: row.spent_at,
        version: count(row.version),
    })
}
