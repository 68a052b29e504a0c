//! How long a task waits before it is tried again.

use std::time::Duration;

use crate::port::Ids;

/// The wait after the first attempt.
const FIRST: Duration = Duration::from_secs(2);
/// Longest wait.
const CAP: Duration = Duration::from_secs(300);

/// The wait after a failed attempt: doubled each time, capped, and up to a fifth longer or shorter.
pub(super) fn wait(ids: &dyn Ids, attempt: u32) -> Duration {
    let mut chance = [0];
    ids.random(&mut chance);
    spread(attempt, u8::from_be_bytes(chance))
}

fn spread(attempt: u32, chance: u8) -> Duration {
    let doubled = FIRST.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1))).min(CAP);
    doubled.mul_f64(0.8 + 0.4 * f64::from(chance) / f64::from(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_from_two_seconds_up_to_a_cap() {
        let middle = |attempt| spread(attempt, 127).as_secs_f64().round();
        assert_eq!([1, 2, 3, 4, 8, 9, 40].map(middle), [2.0, 4.0, 8.0, 16.0, 256.0, 300.0, 300.0]);
        assert_eq!((spread(1, 0), spread(1, 255)), (Duration::from_millis(1_600), Duration::from_millis(2_400)));
        assert!(spread(40, 255) <= CAP.mul_f64(1.2));
    }
}
