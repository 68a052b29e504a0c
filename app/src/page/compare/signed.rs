//! Differences as figures: each with its sign, none where nothing is known.

use leptos::prelude::*;
use types::compare::Delta;
use types::money::Money;

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

fn money(sum: Money) -> String {
    let amount = format::amount(sum);
    if sum.amount.nanos() > 0 { format!("+{amount}") } else { amount }
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
    use super::*;

    #[test]
    fn a_difference_has_its_sign() {
        assert_eq!(signed(0, "0 ms".to_owned()), "±0 ms");
        assert_eq!(signed(12, "12".to_owned()), "+12");
        assert_eq!(signed(-12, "12".to_owned()), "−12");
    }
}
