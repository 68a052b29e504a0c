//! Opaque tokens: `sk_`, `sa_`, `sr_`, `si_`, `sl_` or `sm_`, 43 base62 digits of 256 random bits, 6 base62 digits of the
//! CRC-32 of all before.
//!
//! The checksum tells a typo or a made-up token from a real one without a query; what is stored is the SHA-256 alone.
//! Console cookies have a form of their own and share only the digest.

use sha2::{Digest as _, Sha256};

use crate::port::Ids;
use crate::record::Digest;
use crate::secret::SecretString;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BODY_DIGITS: usize = 43;
const CHECK_DIGITS: usize = 6;

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `sk_`: an API key's secret.
    ApiKey,
    /// `sa_`: the access token of an API session.
    Access,
    /// `sr_`: the refresh token of an API session.
    Refresh,
    /// `si_`: the token of an invitation's link.
    Invitation,
    /// `sl_`: the token of the link in a mail.
    Link,
    /// `sm_`: the question for a second factor.
    Mfa,
}

impl TokenKind {
    const ALL: [Self; 6] = [Self::ApiKey, Self::Access, Self::Refresh, Self::Invitation, Self::Link, Self::Mfa];

    /// What tokens of the kind start with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::ApiKey => "sk_",
            Self::Access => "sa_",
            Self::Refresh => "sr_",
            Self::Invitation => "si_",
            Self::Mfa => "sm_",
            Self::Link => "sl_",
        }
    }
}

/// A new token and its digest.
pub(crate) fn mint(kind: TokenKind, ids: &dyn Ids) -> (SecretString, Digest) {
    let mut bytes = [0; 32];
    ids.random(&mut bytes);
    derive(kind, bytes)
}

/// The token of bytes that nobody can guess, and its digest.
pub(crate) fn derive(kind: TokenKind, mut bytes: [u8; 32]) -> (SecretString, Digest) {
    let mut text = kind.prefix().to_owned();
    push_base62(&mut text, &mut bytes, BODY_DIGITS);
    let mut check = crc32fast::hash(text.as_bytes()).to_be_bytes();
    push_base62(&mut text, &mut check, CHECK_DIGITS);
    let digest = digest(text.as_bytes());
    (SecretString::new(text), digest)
}

/// The kind and digest of a well-formed token.
pub fn parse(text: &str) -> Option<(TokenKind, Digest)> {
    let kind = TokenKind::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))?;
    if text.len() != kind.prefix().len() + BODY_DIGITS + CHECK_DIGITS {
        return None;
    }
    let (signed, given) = text.split_at_checked(text.len() - CHECK_DIGITS)?;
    let (_, body) = signed.split_at_checked(kind.prefix().len())?;
    if !body.bytes().all(|byte| ALPHABET.contains(&byte)) {
        return None;
    }
    let mut expected = String::with_capacity(CHECK_DIGITS);
    push_base62(&mut expected, &mut crc32fast::hash(signed.as_bytes()).to_be_bytes(), CHECK_DIGITS);
    (expected == given).then(|| (kind, digest(text.as_bytes())))
}

/// SHA-256 of a credential's text.
pub fn digest(text: &[u8]) -> Digest {
    Digest(Sha256::digest(text).into())
}

/// The first 7 and last 4 characters of a token: enough to tell two apart, nothing to use.
pub(crate) fn hint(token: &SecretString) -> String {
    let text = token.expose();
    let start = text.get(..7).unwrap_or_default();
    let end = text.get(text.len().saturating_sub(4)..).unwrap_or_default();
    format!("{start}…{end}")
}

/// Appends the last `digits` base62 digits of a big-endian number, dividing it to nothing.
fn push_base62(text: &mut String, number: &mut [u8], digits: usize) {
    let mut reversed = Vec::with_capacity(digits);
    for _ in 0..digits {
        let mut rest: u16 = 0;
        for byte in number.iter_mut() {
            let value = rest << 8 | u16::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or_default();
            rest = value % 62;
        }
        reversed.push(ALPHABET.get(usize::from(rest)).copied().map_or('0', char::from));
    }
    text.extend(reversed.into_iter().rev());
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Same(u8);

    impl Ids for Same {
        fn uuid(&self) -> types::id::Uuid {
            types::id::Uuid::nil()
        }

        fn random(&self, buffer: &mut [u8]) {
            buffer.fill(self.0);
        }
    }

    #[test]
    fn a_token_is_known_by_its_form() {
        for kind in TokenKind::ALL {
            for fill in [0, 1, 0x7F, 0xFF] {
                let (token, digest) = mint(kind, &Same(fill));
                assert_eq!(token.expose().len(), 52);
                assert_eq!(parse(token.expose()), Some((kind, digest)), "{}", token.expose());
            }
        }
    }

    #[test]
    fn one_changed_character_is_noticed_everywhere() {
        let (token, _) = mint(TokenKind::ApiKey, &Same(0x5A));
        let text = token.expose();
        for index in 0..text.len() {
            let mut bytes = text.as_bytes().to_vec();
            bytes[index] = if bytes[index] == b'x' { b'y' } else { b'x' };
            assert_eq!(parse(&String::from_utf8(bytes).unwrap()), None, "{index}");
        }
        for wrong in ["", "sk_", "sk_é", &text[..51], &format!("{text}0"), &text.replace("sk_", "sx_")] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_hint_shows_eleven_characters() {
        let (token, _) = mint(TokenKind::ApiKey, &Same(0xFF));
        let hint = hint(&token);
        assert_eq!(hint.chars().count(), 12);
        assert!(token.expose().starts_with(&hint[..7]) && token.expose().ends_with(&hint[hint.len() - 4..]));
    }
}
