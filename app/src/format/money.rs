//! Money from whole nano-units, never through a float.

use types::money::{Amount, Currency, Money, NANOS};

use super::number::group;

/// Nano-units in the smallest amount that is still shown in digits: 0.0001.
const SMALLEST: u64 = 100_000;

/// The sign a currency is written with; the code itself where there is none of its own.
pub(crate) fn symbol(currency: Currency) -> String {
    match currency.as_str() {
        "USD" => "$".to_owned(),
        "EUR" => "€".to_owned(),
        "GBP" => "£".to_owned(),
        "CNY" => "CN¥".to_owned(),
        "JPY" => "¥".to_owned(),
        "INR" => "₹".to_owned(),
        "KRW" => "₩".to_owned(),
        code => format!("{code}\u{a0}"),
    }
}

/// `$41.07`, `$0.0124`, `<$0.0001`, `-$1.50`: two decimals from one unit on, four below.
pub(crate) fn amount(money: Money) -> String {
    let nanos = money.amount.nanos();
    let (sign, size) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    let symbol = symbol(money.currency);
    if size == 0 {
        return format!("{symbol}0.00");
    }
    if size < SMALLEST {
        let mark = if nanos < 0 { ">-" } else { "<" };
        return format!("{mark}{symbol}0.0001");
    }
    let unit = NANOS.unsigned_abs();
    let decimals = if size >= unit { 2 } else { 4 };
    let step = unit / 10_u64.pow(decimals);
    let rounded = (size + step / 2) / step;
    let per_unit = unit / step;
    let (whole, fraction) = (rounded / per_unit, rounded % per_unit);
    let mut fraction = format!("{fraction:0width$}", width = usize::try_from(decimals).unwrap_or_default());
    // `$0.5000` says no more than `$0.50`.
    while fraction.len() > 2 && fraction.ends_with('0') {
        fraction.pop();
    }
    format!("{sign}{symbol}{}.{fraction}", group(&whole.to_string()))
}

/// Every digit, two of them at least: `$0.012375001`, `$0.60`.
pub(crate) fn exact(currency: Currency, amount: Amount) -> String {
    let text = amount.to_string();
    let (sign, size) = text.strip_prefix('-').map_or(("", text.as_str()), |size| ("-", size));
    let (whole, fraction) = size.split_once('.').unwrap_or((size, ""));
    format!("{sign}{}{}.{fraction:0<2}", symbol(currency), group(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        amount(Money { currency: Currency::USD, amount: text.parse().expect("an amount") })
    }

    #[test]
    fn money_is_rounded_but_never_away() {
        for (given, expected) in [
            ("0", "$0.00"),
            ("41.07", "$41.07"),
            ("1234567.891", "$1,234,567.89"),
            ("0.0124", "$0.0124"),
            ("0.031", "$0.031"),
            ("0.5", "$0.50"),
            ("0.99996", "$1.00"),
            ("0.00004", "<$0.0001"),
            ("0.000000001", "<$0.0001"),
            ("-0.00004", ">-$0.0001"),
            ("-1.5", "-$1.50"),
            ("9223372036.854775807", "$9,223,372,036.85"),
        ] {
            assert_eq!(shown(given), expected);
        }
    }

    #[test]
    fn the_exact_form_keeps_every_digit() {
        let euro: Currency = "EUR".parse().expect("a currency");
        assert_eq!(exact(euro, Amount::from_nanos(12_375_001)), "€0.012375001");
        assert_eq!(exact(euro, Amount::from_nanos(-1_234_000_000_000)), "-€1,234.00");
        let franc: Currency = "CHF".parse().expect("a currency");
        assert_eq!(exact(franc, Amount::from_nanos(NANOS)), "CHF\u{a0}1.00");
        assert_eq!(exact(euro, Amount::from_nanos(600_000_000)), "€0.60");
    }
}
