//! E-mail addresses as people give them and as they are compared.

use types::name::is_misleading;
use unicode_normalization::UnicodeNormalization as _;

use crate::error::{Error, Result};

const MAX_BYTES: usize = 254;

/// An address: as given, and with the local part lower-cased and the domain in ASCII, which is unique in the instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    given: String,
    key: String,
}

impl Email {
    /// Reads an address; the error names `field`.
    pub fn parse(text: &str, field: &str) -> Result<Self> {
        let refuse = |message: &str| Err(Error::invalid(field, message));
        let given: String = text.trim().nfc().collect();
        if given.len() > MAX_BYTES {
            return refuse("is longer than 254 characters");
        }
        if given.chars().any(|character| is_misleading(character) || character.is_whitespace()) {
            return refuse("holds a space or an invisible character");
        }
        let Some((local, domain)) = given.split_once('@') else {
            return refuse("has no `@`");
        };
        if local.is_empty() || domain.contains('@') {
            return refuse("must have one `@` with a name before it");
        }
        let Ok(domain) = idna::domain_to_ascii_strict(domain) else {
            return refuse("has no valid domain after the `@`");
        };
        if domain.is_empty() {
            return refuse("has no domain after the `@`");
        }
        let key = format!("{}@{domain}", local.to_lowercase());
        Ok(Self { given, key })
    }

    /// As given.
    pub fn as_str(&self) -> &str {
        &self.given
    }

    /// As compared.
    pub fn key(&self) -> &str {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_script_of_an_address_do_not_matter() {
        let key = |text| Email::parse(text, "email").map(|email| email.key);
        assert_eq!(key(" Ada@Example.COM ").ok().as_deref(), Some("ada@example.com"));
        assert_eq!(key("ada@bücher.example").ok().as_deref(), Some("ada@xn--bcher-kva.example"));
        assert_eq!(key("ada+x@localhost").ok().as_deref(), Some("ada+x@localhost"));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        let long = format!("{}@example.com", "a".repeat(250));
        for text in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "a@b@c",
            "ada@exa\nmple.com",
            "a da@example.com",
            "ada@-x.com",
            "ada@a..b",
            &long,
        ] {
            assert!(Email::parse(text, "email").is_err(), "{text}");
        }
    }
}
