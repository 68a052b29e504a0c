//! Whole numbers and shares.

use types::run::Run;

/// `1,204`.
pub(crate) fn count(number: u64) -> String {
    group(&number.to_string())
}

/// The tokens of a run: a dash while it runs and nothing is known of them yet.
pub(crate) fn tokens(run: &Run) -> String {
    match run.totals.usage.tokens() {
        0 if !run.status.is_final() => "—".to_owned(),
        tokens => count(tokens),
    }
}

/// Digits in groups of three.
pub(super) fn group(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in tenths of a percent, rounded half up, but never to 0 or 1000 unless it is exactly that.
fn tenths(part: u64, whole: u64) -> Option<u64> {
    if whole == 0 {
        return None;
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    let rounded = u64::try_from((part * 1000 + whole / 2) / whole).unwrap_or(u64::MAX);
    Some(match rounded {
        0 if part > 0 => 1,
        1000 if part < whole => 999,
        other => other,
    })
}

/// `97.2 %`; none of nothing.
pub(crate) fn percent(part: u64, whole: u64) -> Option<String> {
    tenths(part, whole).map(|tenths| match (tenths / 10, tenths % 10) {
        (0, 0) => "0 %".to_owned(),
        (100, 0) => "100 %".to_owned(),
        (whole, tenth) => format!("{}.{tenth} %", count(whole)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_threes() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_204, "1,204"),
            (1_000_000, "1,000,000"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(count(number), text);
        }
    }

    #[test]
    fn a_share_is_nothing_or_all_only_when_it_is() {
        for (part, whole, text) in [
            (0, 10, "0 %"),
            (10, 10, "100 %"),
            (1, 1_000_000, "0.1 %"),
            (999_999, 1_000_000, "99.9 %"),
            (972, 1000, "97.2 %"),
            (3, 2, "150.0 %"),
        ] {
            assert_eq!(percent(part, whole).as_deref(), Some(text));
        }
        assert_eq!(percent(0, 0), None);
    }
}
