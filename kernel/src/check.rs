//! Checks of command fields that several use cases share: every wrong field is named, not only the first.

use types::money::Currency;
use types::name::{Name, is_misleading};
use types::problem::Code;
use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, Result};

/// Collects wrong fields.
#[derive(Debug, Default)]
pub(crate) struct Checks(Option<Error>);

impl Checks {
    /// Notes the field unless the condition holds.
    pub(crate) fn require(&mut self, holds: bool, field: impl Into<String>, message: impl Into<String>) {
        if holds {
            return;
        }
        self.0 = Some(match self.0.take() {
            None => Error::invalid(field, message),
            Some(error) => error.with_field(field, message),
        });
    }

    /// Notes the field where the value lies outside the range; an absent value is fine.
    pub(crate) fn within<T: PartialOrd + std::fmt::Display + Copy>(
        &mut self,
        value: Option<T>,
        least: T,
        most: T,
        field: &str,
    ) {
        let holds = value.is_none_or(|value| least <= value && value <= most);
        self.require(holds, field, format!("must lie within {least} and {most}"));
    }

    /// Notes the field unless the text has so many characters, none of them misleading or at its ends blank.
    pub(crate) fn text(&mut self, text: &str, least: usize, most: usize, field: impl Into<String>) {
        let field = field.into();
        let count = text.chars().count();
        self.require((least..=most).contains(&count), &*field, format!("must have {least} to {most} characters"));
        let plain = text.trim() == text && !text.chars().any(is_misleading);
        self.require(plain, field, "must not hold control or invisible characters, nor begin or end with a blank");
    }

    /// Notes the field unless it is the money of a country.
    pub(crate) fn currency(&mut self, currency: Currency, field: &str) {
        let known = iso_currency::Currency::from_code(currency.as_str())
            .is_some_and(|money| !money.is_fund() && !money.is_special() && !money.used_by().is_empty());
        self.require(known, field, format!("`{currency}` is not the money of a country, use a code like `USD`"));
    }

    /// Whether every field was right.
    pub(crate) fn done(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// The name in NFC, as it is kept.
pub(crate) fn normal_name(name: &Name) -> Result<Name> {
    name.as_str().nfc().collect::<String>().try_into().map_err(|error| Error::invalid("name", format!("{error}")))
}

/// Demands that the caller has seen the present version: absent 428, another 412, both with the present one.
pub(crate) fn same_version(expected: Option<u64>, present: u64) -> Result<()> {
    match expected {
        Some(version) if version == present => Ok(()),
        Some(_) => Err(Error::new(Code::PreconditionFailed, "it changed since it was read, read it again")
            .with_revision(present.to_string())),
        None => Err(Error::new(Code::PreconditionRequired, "send `If-Match` with the version that was read")
            .with_revision(present.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn currency(code: &str) -> Result<()> {
        let mut checks = Checks::default();
        checks.currency(code.parse().expect("the form is right"), "currency");
        checks.done()
    }

    #[test]
    fn only_the_money_of_a_country_is_a_currency() {
        for code in ["USD", "EUR", "JPY", "CNY", "CHF"] {
            assert!(currency(code).is_ok(), "{code}");
        }
        for code in ["XXX", "XAU", "XTS", "XDR", "BOV", "AAA"] {
            assert_eq!(currency(code).expect_err(code).field(), Some("currency"), "{code}");
        }
    }

    #[test]
    fn every_wrong_field_is_named() {
        let mut checks = Checks::default();
        checks.within(Some(0), 1, 9, "a");
        checks.within(None, 1, 9, "b");
        checks.text("", 1, 3, "c");
        checks.text("x\u{202E}", 1, 3, "d");
        let problem = checks.done().expect_err("three are wrong").problem();
        let fields: Vec<&str> = problem.errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["a", "c", "d"]);
    }

    #[test]
    fn a_version_is_required_and_compared() {
        let code =
            |expected| same_version(expected, 3).map_err(|error| error.problem()).map_err(|p| (p.code, p.revision));
        assert_eq!(code(Some(3)), Ok(()));
        assert_eq!(code(Some(2)), Err((Code::PreconditionFailed, Some("3".to_owned()))));
        assert_eq!(code(None), Err((Code::PreconditionRequired, Some("3".to_owned()))));
    }
}
