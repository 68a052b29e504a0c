//! Exact money: whole nano-units (1e-9 of the currency's unit), decimal strings on the wire, never a float.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Nano-units in one unit of a currency.
pub const NANOS: i64 = 1_000_000_000;

/// Why a text is no amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAmount {
    /// Not `^-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,9})?$`.
    #[error("must be a decimal string like `12.5`, at most 10 digits before and 9 after the point")]
    Form,
    /// Does not fit nano-units of 64 bits.
    #[error("must lie within ±9223372036.854775807")]
    Range,
    /// Below zero where nothing can be.
    #[error("must not be negative")]
    Negative,
    /// Not three capital letters.
    #[error("must be an ISO 4217 currency code like `USD`")]
    Currency,
}

/// An ISO 4217 code, upper case. Only the form is checked here; the kernel checks that it is money of a country.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, pattern = "^[A-Z]{3}$")]
pub struct Currency([u8; 3]);

impl Currency {
    /// The United States dollar.
    pub const USD: Self = Self(*b"USD");

    /// The code.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("XXX")
    }
}

impl FromStr for Currency {
    type Err = InvalidAmount;
    fn from_str(text: &str) -> Result<Self, InvalidAmount> {
        let code: [u8; 3] = text.as_bytes().try_into().map_err(|_| InvalidAmount::Currency)?;
        if code.iter().all(u8::is_ascii_uppercase) { Ok(Self(code)) } else { Err(InvalidAmount::Currency) }
    }
}

impl TryFrom<String> for Currency {
    type Error = InvalidAmount;
    fn try_from(text: String) -> Result<Self, InvalidAmount> {
        text.parse()
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.as_str().to_owned()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A signed count of nano-units without its currency; a decimal string on the wire (`"0.00045"`), `"0"` for zero.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, pattern = r"^-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,9})?$")]
pub struct Amount(i64);

impl Amount {
    /// Nothing (which is not the same as unknown).
    pub const ZERO: Self = Self(0);

    /// An amount of so many nano-units.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// The count of nano-units.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// The sum, or `None` where it does not fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, or `None` where it does not fit.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }
}

impl FromStr for Amount {
    type Err = InvalidAmount;
    fn from_str(text: &str) -> Result<Self, InvalidAmount> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = match digits.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (digits, None),
        };
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let whole_ok = all_digits(whole) && whole.len() <= 10 && (whole == "0" || !whole.starts_with('0'));
        let fraction_ok = fraction.is_none_or(|part| all_digits(part) && part.len() <= 9);
        if !whole_ok || !fraction_ok {
            return Err(InvalidAmount::Form);
        }
        let whole: i128 = whole.parse().map_err(|_| InvalidAmount::Form)?;
        let fraction: i128 = format!("{:0<9}", fraction.unwrap_or("")).parse().map_err(|_| InvalidAmount::Form)?;
        let nanos = whole * i128::from(NANOS) + fraction;
        i64::try_from(if negative { -nanos } else { nanos }).map(Self).map_err(|_| InvalidAmount::Range)
    }
}

impl TryFrom<String> for Amount {
    type Error = InvalidAmount;
    fn try_from(text: String) -> Result<Self, InvalidAmount> {
        text.parse()
    }
}

impl From<Amount> for String {
    fn from(amount: Amount) -> Self {
        amount.to_string()
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.unsigned_abs();
        let (whole, fraction) = (size / NANOS.unsigned_abs(), size % NANOS.unsigned_abs());
        let sign = if self.0 < 0 { "-" } else { "" };
        if fraction == 0 {
            return f.pad(&format!("{sign}{whole}"));
        }
        let digits = format!("{fraction:09}");
        f.pad(&format!("{sign}{whole}.{}", digits.trim_end_matches('0')))
    }
}

/// An amount of one currency. Currencies are never added, compared or converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Money {
    /// Which money.
    pub currency: Currency,
    /// How much.
    pub amount: Amount,
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.currency, self.amount)
    }
}

/// Nano-units for 1,000,000 units of a usage class: `"0.15"` on the wire is 0.15 per million tokens. Never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(try_from = "Amount", into = "Amount")]
#[schema(value_type = String, pattern = r"^(0|[1-9][0-9]{0,9})(\.[0-9]{1,9})?$")]
pub struct Rate(i64);

/// Which way a line is rounded to the nano.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Half up: what a cost line uses.
    HalfUp,
    /// Up: what a hold uses, so that it never falls short.
    Up,
}

impl Rate {
    /// A rate of so many nano-units per million, or `None` below zero.
    pub fn from_nanos(nanos: i64) -> Option<Self> {
        (nanos >= 0).then_some(Self(nanos))
    }

    /// Nano-units per million.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// quantity × rate ÷ 1,000,000, or `None` where it does not fit an [`Amount`].
    pub fn line(self, quantity: u64, rounding: Rounding) -> Option<Amount> {
        let product = i128::from(quantity) * i128::from(self.0);
        let rounded = match rounding {
            Rounding::HalfUp => (product + 500_000) / 1_000_000,
            Rounding::Up => (product + 999_999) / 1_000_000,
        };
        i64::try_from(rounded).ok().map(Amount)
    }
}

impl TryFrom<Amount> for Rate {
    type Error = InvalidAmount;
    fn try_from(amount: Amount) -> Result<Self, InvalidAmount> {
        Self::from_nanos(amount.0).ok_or(InvalidAmount::Negative)
    }
}

impl From<Rate> for Amount {
    fn from(rate: Rate) -> Self {
        Self(rate.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_and_write_exactly() {
        for (text, nanos) in [
            ("0", 0),
            ("0.00045", 450_000),
            ("-1.5", -1_500_000_000),
            ("9223372036.854775807", i64::MAX),
            ("12", 12 * NANOS),
        ] {
            assert_eq!(text.parse::<Amount>(), Ok(Amount(nanos)), "{text}");
            assert_eq!(Amount(nanos).to_string(), text);
        }
        assert_eq!("0.10".parse::<Amount>().map(|amount| amount.to_string()), Ok("0.1".to_owned()));
    }

    #[test]
    fn other_forms_are_refused() {
        for text in ["", "1e3", "+1", "1,5", "0.0000000001", "01", ".5", "1.", "-", "12345678901", " 1"] {
            assert_eq!(text.parse::<Amount>(), Err(InvalidAmount::Form), "{text}");
        }
        assert_eq!("9999999999".parse::<Amount>(), Err(InvalidAmount::Range));
        for text in ["usd", "US", "USDX", ""] {
            assert!(text.parse::<Currency>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_json_number_is_no_amount() {
        assert!(serde_json::from_str::<Amount>("1").is_err());
        assert_eq!(serde_json::to_string(&Amount(1)).expect("a string"), "\"0.000000001\"");
    }

    #[test]
    fn lines_round_half_up_and_holds_round_up() {
        let rate = Rate(37_500_000); // 0.0375 a million
        assert_eq!(rate.line(1, Rounding::HalfUp), Some(Amount(38)));
        assert_eq!(rate.line(1, Rounding::Up), Some(Amount(38)));
        assert_eq!(Rate(150_000_000).line(1_000, Rounding::HalfUp), Some(Amount(150_000)));
        assert_eq!(Rate(1).line(1, Rounding::HalfUp), Some(Amount(0)));
        assert_eq!(Rate(1).line(1, Rounding::Up), Some(Amount(1)));
        assert_eq!(Rate(i64::MAX).line(u64::MAX, Rounding::Up), None);
    }
}
