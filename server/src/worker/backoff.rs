//! How long to wait before something is tried again.

use std::time::Duration;

/// Longest wait.
const CAP: Duration = Duration::from_secs(300);
/// Tries before a delivery is given up.
const TRIES: u32 = 20;

/// The wait after a failed try, doubled each time and up to a fifth longer or shorter; `None` after the last one.
/// `chance` is random, any number.
pub(super) fn retry_in(attempt: u32, chance: u8) -> Option<Duration> {
    if attempt >= TRIES {
        return None;
    }
    let doubled = Duration::from_secs(1).saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1))).min(CAP);
    let share = 0.8 + 0.4 * f64::from(chance) / f64::from(u8::MAX);
    Some(doubled.mul_f64(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_cap_and_end() {
        let middle = |attempt| retry_in(attempt, 127).map(|wait| wait.as_secs_f64().round());
        assert_eq!([middle(1), middle(2), middle(5), middle(19)], [Some(1.0), Some(2.0), Some(16.0), Some(300.0)]);
        assert_eq!(middle(20), None);
        assert!(
            retry_in(1, 0) >= Some(Duration::from_millis(800)) && retry_in(1, 255) <= Some(Duration::from_millis(1200))
        );
    }
}
