//! Names with rules: slugs and display names are parsed once, then carried as types.

use serde::{Deserialize, Serialize};

/// A word that is not among the known ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not one of {known}")]
pub struct UnknownWord {
    given: String,
    known: String,
}

impl UnknownWord {
    /// Names what was given (shortened) and what would have been accepted.
    pub fn new(given: &str, known: &[&str]) -> Self {
        Self {
            given: given.chars().take(40).collect(),
            known: known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Why a text is no name or slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Empty after trimming, or too long.
    #[error("must have {min} to {max} characters")]
    Length {
        /// Fewest characters allowed.
        min: usize,
        /// Most characters allowed.
        max: usize,
    },
    /// A character that could mislead a reader.
    #[error("must not hold control, zero-width or direction-changing characters")]
    Characters,
    /// Not the slug alphabet.
    #[error("must be lower-case letters, digits and inner hyphens, at most 40 characters")]
    Slug,
}

/// `^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$`: the short name of a tenant, workspace or provider account in URLs and refs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, pattern = "^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$")]
pub struct Slug(String);

impl Slug {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Slug {
    type Error = InvalidName;
    fn try_from(text: String) -> Result<Self, InvalidName> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let bytes = text.as_bytes();
        let ends = bytes.first().copied().is_some_and(plain) && bytes.last().copied().is_some_and(plain);
        if ends && bytes.len() <= 40 && bytes.iter().all(|byte| plain(*byte) || *byte == b'-') {
            Ok(Self(text))
        } else {
            Err(InvalidName::Slug)
        }
    }
}

impl std::str::FromStr for Slug {
    type Err = InvalidName;
    fn from_str(text: &str) -> Result<Self, InvalidName> {
        text.to_owned().try_into()
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl std::fmt::Display for Slug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A display name: 1–80 Unicode scalars, trimmed, nothing invisible. The kernel normalises to NFC before it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, min_length = 1, max_length = 80)]
pub struct Name(String);

impl Name {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Characters that change how the text around them reads, or cannot be seen.
pub fn is_misleading(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{061C}')
}

impl TryFrom<String> for Name {
    type Error = InvalidName;
    fn try_from(text: String) -> Result<Self, InvalidName> {
        let trimmed = text.trim();
        if trimmed.chars().any(is_misleading) {
            return Err(InvalidName::Characters);
        }
        if !(1..=80).contains(&trimmed.chars().count()) {
            return Err(InvalidName::Length { min: 1, max: 80 });
        }
        Ok(Self(trimmed.to_owned()))
    }
}

impl std::str::FromStr for Name {
    type Err = InvalidName;
    fn from_str(text: &str) -> Result<Self, InvalidName> {
        text.to_owned().try_into()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_keep_to_their_alphabet() {
        for good in ["a", "test", "open-ai", "0x", &"a".repeat(40)] {
            assert!(good.parse::<Slug>().is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a_b", "ä", &"a".repeat(41)] {
            assert!(bad.parse::<Slug>().is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_trimmed_and_never_invisible() {
        assert_eq!(" Refund desk ".parse::<Name>().map(String::from), Ok("Refund desk".to_owned()));
        for bad in ["", "   ", "a\u{202E}b", "a\u{200B}", "a\nb", &"x".repeat(81)] {
            assert!(bad.parse::<Name>().is_err(), "{bad:?}");
        }
    }
}
