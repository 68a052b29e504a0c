//! Differences as figures: each with its sign, none where nothing is known.

use leptos::prelude::*;
use types::compare::Delta;
use types::money::{Amount, Money};

use crate::format;

/// How much longer.
pub(super) fn duration(delta: &Delta) -> AnyView {
    shown(delta.duration_ms.map(|millis| signed(millis, format::duration(millis.unsigned_abs()))))
}

/// How many more tokens.
pub(super) fn tokens(delta: &Delta) -> AnyView {
    shown(delta.tokens.map(|count| signed(count, format::count(count.unsigned_abs()))))
}

/// How much dearer, in each currency.
pub(super) fn cost(delta: &Delta) -> AnyView {
    let sums: Vec<String> = delta.cost.iter().map(|sum| money(*sum)).collect();
    shown((!sums.is_empty()).then(|| sums.join(" · ")))
}

/// Every digit: "less than" says nothing of a difference.
fn money(sum: Money) -> String {
    let nanos = sum.amount.nanos();
    let size = i64::try_from(nanos.unsigned_abs()).unwrap_or(i64::MAX);
    signed(nanos, format::exact(sum.currency, Amount::from_nanos(size)))
}

/// `+412 ms`, `−3`, `±0`.
fn signed(value: i64, size: String) -> String {
    match value {
        0 => format!("±{size}"),
        1.. => format!("+{size}"),
        _ => format!("−{size}"),
    }
}

fn shown(figure: Option<String>) -> AnyView {
    match figure {
        Some(figure) => figure.into_any(),
        None => view! { <span class="none">"—"</span> }.into_any(),
    }
}

#[cfg(test)]
mod tests {
    use types::money::Currency;

    use super::*;

    #[test]
    fn a_difference_has_its_sign() {
        assert_eq!(signed(0, "0 ms".to_owned()), "±0 ms");
        assert_eq!(signed(12, "12".to_owned()), "+12");
        assert_eq!(signed(-12, "12".to_owned()), "−12");
        let sum = |nanos| Money { currency: Currency::USD, amount: Amount::from_nanos(nanos) };
        assert_eq!(money(sum(-12_000)), "−$0.000012");
        assert_eq!(money(sum(1_500_000_000)), "+$1.50");
        assert_eq!(money(sum(0)), "±$0.00");
    }
}
