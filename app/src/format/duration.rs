//! How long something took.

/// `412 ms`, `1.2 s`, `4 min`, `2 h 5 min`, `3 d 4 h`. The unit follows after a space, so that a reader's eye finds it.
pub(crate) fn duration(milliseconds: u64) -> String {
    let tenths = (milliseconds + 50) / 100;
    let seconds = (milliseconds + 500) / 1000;
    match milliseconds {
        0..1000 => format!("{milliseconds} ms"),
        // 59 950 ms and more would read `60.0 s`.
        1000..59_950 => format!("{}.{} s", tenths / 10, tenths % 10),
        _ if seconds < 3600 => two(seconds / 60, "min", seconds % 60, "s"),
        _ if seconds < 86_400 => two(seconds / 3600, "h", seconds % 3600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3600, "h"),
    }
}

fn two(large: u64, unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 { format!("{large} {unit}") } else { format!("{large} {unit} {small} {small_unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_take_the_unit_that_fits() {
        for (given, expected) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1.0 s"),
            (8_240, "8.2 s"),
            (59_949, "59.9 s"),
            (59_950, "1 min"),
            (240_000, "4 min"),
            (252_000, "4 min 12 s"),
            (7_500_000, "2 h 5 min"),
            (273_600_000, "3 d 4 h"),
        ] {
            assert_eq!(duration(given), expected);
        }
    }
}
