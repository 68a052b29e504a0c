//! Codes of authenticator apps, with seeds that lie open.

use chrono::{DateTime, Utc};
use kernel::port::{Enrollment, SEED, SealError, Totp};
use kernel::record::TotpSeed;
use kernel::secret::{Sealed, SecretString};
use types::id::UserId;

use crate::totp::{code_of, seed_of, step};

/// Makes and checks codes; what it calls sealed anybody can read.
#[derive(Clone, Copy, Debug, Default)]
pub struct FakeTotp;

impl Totp for FakeTotp {
    fn enroll(
        &self,
        user_id: UserId,
        number: u32,
        account: &str,
        seed: &[u8; SEED],
    ) -> Result<(TotpSeed, Enrollment), SealError> {
        let secret = totp_rs::Secret::new_stack(*seed).to_base32();
        let nonce = bound(user_id, number);
        let sealed = Sealed { key_id: "fake".to_owned(), nonce, ciphertext: secret.clone().into_bytes() };
        let shown = Enrollment {
            secret: SecretString::new(secret.clone()),
            uri: SecretString::new(format!("otpauth://totp/soit:{account}?secret={secret}")),
            qr_svg: SecretString::new("<svg></svg>".to_owned()),
        };
        Ok((TotpSeed { number, sealed }, shown))
    }

    fn step_of(
        &self,
        user_id: UserId,
        seed: &TotpSeed,
        code: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<u64>, SealError> {
        if seed.sealed.nonce != bound(user_id, seed.number) {
            return Err(SealError::Unreadable);
        }
        let secret = String::from_utf8(seed.sealed.ciphertext.clone()).map_err(|_| SealError::Unreadable)?;
        let present = step(at);
        let mut steps = present.saturating_sub(1)..=present + 1;
        Ok(steps.find(|step| code_of(&seed_of(&secret), *step) == code))
    }
}

fn bound(user_id: UserId, number: u32) -> Vec<u8> {
    [user_id.as_uuid().as_bytes().as_slice(), &number.to_be_bytes()].concat()
}
