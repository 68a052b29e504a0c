//! What a code is worth: the second factor as it stands after it, or nothing.

use chrono::{DateTime, Utc};
use types::id::UserId;
use types::mfa::MfaMethod;
use types::problem::Code;

use super::recovery;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::port::SealError;
use crate::record::SecondFactor;

/// A right code, and what it leaves.
pub(super) struct Used {
    /// The second factor without what was used up.
    pub(super) factor: SecondFactor,
    pub(super) method: MfaMethod,
}

impl Identity {
    /// A person's second factor, if it counts.
    pub(super) async fn active_factor(&self, user_id: UserId) -> Result<Option<SecondFactor>> {
        let found = self.ports.second_factors.find_second_factor(user_id).await?;
        Ok(found.filter(|factor| factor.active.is_some()))
    }

    /// Judges a code. Of an authenticator app's codes each time step counts once, and none before it any more.
    pub(super) fn judge(&self, factor: &SecondFactor, code: &str, now: DateTime<Utc>) -> Result<Option<Used>> {
        let Some((seed, _)) = &factor.active else { return Ok(None) };
        let next = |factor: SecondFactor| SecondFactor { version: factor.version + 1, ..factor };
        if let Some(digits) = six_digits(code) {
            let step = self.ports.totp.step_of(factor.user_id, seed, &digits, now).map_err(unreadable)?;
            let step = step.filter(|step| *step > factor.last_step);
            return Ok(step.map(|last_step| Used {
                factor: next(SecondFactor { last_step, ..factor.clone() }),
                method: MfaMethod::Totp,
            }));
        }
        let left = recovery::without(code, &factor.recovery, &*self.ports.sealer, factor.user_id);
        Ok(left.map(|recovery| Used {
            factor: next(SecondFactor { recovery, ..factor.clone() }),
            method: MfaMethod::RecoveryCode,
        }))
    }
}

/// The digits of a code of an authenticator app, which shows them in two groups.
pub(super) fn six_digits(code: &str) -> Option<String> {
    let digits: String = code.chars().filter(|letter| !letter.is_whitespace()).take(7).collect();
    (digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

pub(super) fn invalid_code() -> Error {
    Error::new(Code::InvalidCode, "the code is wrong or was used before, wait for the next one or use a recovery code")
}

/// The master key the seed was sealed under is not configured, or the row was altered.
pub(super) fn unreadable(error: SealError) -> Error {
    Error::new(Code::SecretUnreadable, "the second factor cannot be read with the present keys, ask whoever runs soit")
        .with_source(error)
}
