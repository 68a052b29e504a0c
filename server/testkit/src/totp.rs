//! An authenticator app: the codes of a seed.

use chrono::{DateTime, Utc};
use totp_rs::{Builder, Secret};

/// Seconds a code is shown.
const PERIOD: u64 = 30;

/// The code an app shows at a time, for a seed in base32.
pub fn code(secret: &str, at: DateTime<Utc>) -> String {
    code_of(&seed_of(secret), step(at))
}

/// The time step a time lies in.
pub fn step(at: DateTime<Utc>) -> u64 {
    u64::try_from(at.timestamp()).expect("a time after 1970") / PERIOD
}

pub(crate) fn code_of(seed: &[u8], step: u64) -> String {
    let totp = Builder::new().with_secret(Secret::new(seed.into())).build().expect("a seed of 160 bits");
    totp.generate(step * PERIOD).to_string()
}

pub(crate) fn seed_of(secret: &str) -> Vec<u8> {
    Secret::try_from_base32(secret).expect("base32").as_bytes().to_vec()
}
