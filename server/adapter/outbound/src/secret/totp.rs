//! Codes of authenticator apps: the seed is opened for the one comparison, and shown once when it is made.

use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::port::{Enrollment, SEED, SealError, Sealer, Totp};
use kernel::record::TotpSeed;
use kernel::secret::SecretString;
use qrcode::QrCode;
use qrcode::render::svg;
use totp_rs::{Builder, Secret};
use types::id::{SecretId, UserId};

use super::Keyring;

/// What apps call the account's home.
const ISSUER: &str = "soit";
/// Pixels of the code at least; a page may scale it.
const QR_SIZE: u32 = 220;

impl Totp for Keyring {
    fn enroll(
        &self,
        user_id: UserId,
        number: u32,
        account: &str,
        seed: &[u8; SEED],
    ) -> Result<(TotpSeed, Enrollment), SealError> {
        let secret = Secret::new_stack(*seed);
        let text = SecretString::new(secret.to_base32());
        let sealed = self.seal(Scope::INSTANCE, id_of(user_id), number, &text)?;
        // A colon would end the issuer.
        let named = Builder::new().with_account_name(account.replace(':', " ")).with_issuer(Some(ISSUER));
        let totp = named.with_secret(secret).build().map_err(|_| SealError::Unreadable)?;
        let uri = SecretString::new(totp.to_url().map_err(|_| SealError::Unreadable)?);
        let code = QrCode::new(uri.expose()).map_err(|_| SealError::Unreadable)?;
        let qr_svg = code.render::<svg::Color<'_>>().min_dimensions(QR_SIZE, QR_SIZE).build();
        let enrollment = Enrollment { secret: text, uri, qr_svg: SecretString::new(qr_svg) };
        Ok((TotpSeed { number, sealed }, enrollment))
    }

    fn step_of(
        &self,
        user_id: UserId,
        seed: &TotpSeed,
        code: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<u64>, SealError> {
        let text = self.open(Scope::INSTANCE, id_of(user_id), seed.number, &seed.sealed)?;
        let secret = Secret::try_from_base32(text.expose()).map_err(|_| SealError::Unreadable)?;
        let totp = Builder::new().with_secret(secret).build().map_err(|_| SealError::Unreadable)?;
        Ok(totp.check(code, u64::try_from(at.timestamp()).unwrap_or_default()))
    }
}

/// A seed belongs to a person as a secret belongs to its id.
fn id_of(user_id: UserId) -> SecretId {
    SecretId::from_uuid(user_id.as_uuid())
}

#[cfg(test)]
mod tests {
    use testkit::contract;
    use types::id::Uuid;

    use super::*;
    use crate::MasterKey;

    fn keyring(id: &str) -> Keyring {
        Keyring::new([MasterKey::new(id.to_owned(), b"master key of the test".to_vec())]).unwrap()
    }

    fn user(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn codes_are_those_of_rfc_6238() {
        let keys = keyring("new");
        let (seed, _) = keys.enroll(user(1), 1, "ada@example.com", b"12345678901234567890").unwrap();
        // Appendix B for SHA-1: the last six of eight digits.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let at = DateTime::from_timestamp(seconds, 0).unwrap();
            let step = keys.step_of(user(1), &seed, code, at).unwrap();
            assert_eq!(step, Some(u64::try_from(seconds).unwrap() / 30), "{code}");
        }
    }

    #[test]
    fn the_port_is_fulfilled() {
        contract::totp::a_code_counts_for_its_step_and_the_neighbours(&keyring("new"));
        contract::totp::a_seed_belongs_to_its_person_and_number(&keyring("new"));
    }

    #[test]
    fn a_seed_is_shown_as_text_uri_and_picture_and_stored_as_none_of_them() {
        let (seed, shown) = keyring("new").enroll(user(1), 1, "a:da@example.com", &[7; SEED]).unwrap();
        assert_eq!(shown.secret.expose(), "A4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYH");
        let uri = "otpauth://totp/soit:a%20da%40example%2Ecom?secret=A4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYH&issuer=soit";
        assert_eq!(shown.uri.expose().replace("%2E", "."), uri.replace("%2E", "."));
        assert!(shown.qr_svg.expose().contains("<svg") && !shown.qr_svg.expose().contains("A4DQ"));
        let stored = seed.sealed.ciphertext;
        assert!(!stored.windows(8).any(|window| window == b"A4DQOBYH" || window == [7; 8]));
        assert!(!format!("{shown:?}").contains("A4DQ"));
    }

    #[test]
    fn a_seed_of_another_deployment_is_named_unreadable() {
        let (seed, _) = keyring("old").enroll(user(1), 1, "ada@example.com", &[7; SEED]).unwrap();
        let refused = keyring("new").step_of(user(1), &seed, "123456", DateTime::UNIX_EPOCH);
        assert_eq!(refused, Err(SealError::UnknownKey("old".to_owned())));
    }
}
