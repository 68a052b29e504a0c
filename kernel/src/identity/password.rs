//! Passwords: what a new one must be like, and the form in which any is hashed.

use types::problem::Code;
use unicode_normalization::UnicodeNormalization as _;

use crate::error::{Error, Result};
use crate::port::{HashError, PasswordHasher};
use crate::secret::SecretString;

const MIN_CHARACTERS: usize = 12;
const MAX_CHARACTERS: usize = 128;
const MAX_BYTES: usize = 512;
const MIN_SCORE: u8 = 3;

/// A password as typed into `field`, in NFC; too long ones are refused before anything is hashed.
pub(super) fn typed(text: &str, field: &str) -> Result<SecretString> {
    let password: String = text.nfc().collect();
    if password.len() > MAX_BYTES || password.chars().count() > MAX_CHARACTERS {
        return Err(Error::invalid(field, "is longer than 128 characters"));
    }
    Ok(SecretString::new(password))
}

/// A new password typed into `field`, hard to guess even for who knows the hints.
pub(super) fn chosen(text: &str, field: &str, hasher: &dyn PasswordHasher, hints: &[&str]) -> Result<SecretString> {
    let refuse =
        |message: &str| Err(Error::new(Code::WeakPassword, "the password is refused").with_field(field, message));
    let Ok(password) = typed(text, field) else {
        return refuse("must have 12 to 128 characters");
    };
    if password.expose().chars().count() < MIN_CHARACTERS {
        return refuse("must have 12 to 128 characters");
    }
    if hasher.score(&password, hints) < MIN_SCORE {
        return refuse("is too easy to guess: use several unrelated words, and nothing from your name or address");
    }
    Ok(password)
}

impl From<HashError> for Error {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::new(Code::Busy, "too many sign-ins at once, try again").with_retry_after(1),
            HashError::Unreadable => Self::internal(error),
        }
    }
}
