//! `second_factors`

use chrono::{DateTime, Utc};
use entity::second_factor::{ActiveModel, Model};
use kernel::record::{Digest, SecondFactor, TotpSeed};
use kernel::secret::Sealed;
use sea_orm::ActiveValue::Set;
use types::id::UserId;

use super::{Corrupt, count, digest, document, number, small, text};

const RECOVERY: &str = "second_factors.recovery";

pub(crate) fn active(factor: &SecondFactor) -> Result<ActiveModel, Corrupt> {
    let (seed, pending) = (factor.active.as_ref().map(|(seed, _)| seed), factor.pending.as_ref());
    let recovery: Vec<&[u8]> = factor.recovery.iter().map(|digest| digest.0.as_slice()).collect();
    let number_of = |seed: Option<&TotpSeed>| seed.map(|seed| i64::from(seed.number));
    let key_id = |seed: Option<&TotpSeed>| seed.map(|seed| seed.sealed.key_id.clone());
    let nonce = |seed: Option<&TotpSeed>| seed.map(|seed| seed.sealed.nonce.clone());
    let ciphertext = |seed: Option<&TotpSeed>| seed.map(|seed| seed.sealed.ciphertext.clone());
    Ok(ActiveModel {
        user_id: Set(factor.user_id.as_uuid()),
        number: Set(number_of(seed)),
        key_id: Set(key_id(seed)),
        nonce: Set(nonce(seed)),
        ciphertext: Set(ciphertext(seed)),
        active_since: Set(factor.active.as_ref().map(|(_, since)| *since)),
        pending_number: Set(number_of(pending)),
        pending_key_id: Set(key_id(pending)),
        pending_nonce: Set(nonce(pending)),
        pending_ciphertext: Set(ciphertext(pending)),
        seeds: Set(i64::from(factor.seeds)),
        last_step: Set(number(factor.last_step)),
        recovery: Set(text(&recovery, RECOVERY)?),
        version: Set(number(factor.version)),
    })
}

pub(crate) fn record(row: Model) -> Result<SecondFactor, Corrupt> {
    let recovery: Vec<Vec<u8>> = document(&row.recovery, RECOVERY)?;
    let recovery: Result<Vec<Digest>, Corrupt> = recovery.iter().map(|bytes| digest(bytes, RECOVERY)).collect();
    let active: Option<(TotpSeed, DateTime<Utc>)> =
        seed(row.number, row.key_id, row.nonce, row.ciphertext).zip(row.active_since);
    Ok(SecondFactor {
        user_id: UserId::from_uuid(row.user_id),
        active,
        pending: seed(row.pending_number, row.pending_key_id, row.pending_nonce, row.pending_ciphertext),
        seeds: small(row.seeds),
        last_step: count(row.last_step),
        recovery: recovery?,
        version: count(row.version),
    })
}

/// All of it or none: the schema checks that.
fn seed(
    number: Option<i64>,
    key_id: Option<String>,
    nonce: Option<Vec<u8>>,
    ciphertext: Option<Vec<u8>>,
) -> Option<TotpSeed> {
    let sealed = Sealed { key_id: key_id?, nonce: nonce?, ciphertext: ciphertext? };
    Some(TotpSeed { number: small(number?), sealed })
}
