//! Codes that change with time (RFC 6238). Seeds are sealed like other secrets: only the outbound adapter opens them.

use chrono::{DateTime, Utc};
use types::id::UserId;

use super::SealError;
use crate::record::TotpSeed;
use crate::secret::SecretString;

/// Bytes of a seed: 160 bits.
pub const SEED: usize = 20;

/// What an authenticator app is set up with, in clear.
#[derive(Clone, Debug)]
pub struct Enrollment {
    /// The seed in base32.
    pub secret: SecretString,
    /// `otpauth://totp/…`.
    pub uri: SecretString,
    /// That as a QR code, in SVG.
    pub qr_svg: SecretString,
}

/// Makes and checks codes: SHA-1, six digits, a new one every 30 seconds.
pub trait Totp: Send + Sync {
    /// Seals the seed that has a number among a person's, and shows it for the app of their `account`.
    fn enroll(
        &self,
        user_id: UserId,
        number: u32,
        account: &str,
        seed: &[u8; SEED],
    ) -> Result<(TotpSeed, Enrollment), SealError>;
    /// The time step the code belongs to: the present one, the one before or the one after. None where it is wrong.
    fn step_of(
        &self,
        user_id: UserId,
        seed: &TotpSeed,
        code: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<u64>, SealError>;
}
