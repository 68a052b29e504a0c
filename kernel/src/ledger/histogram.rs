//! Times in 48 classes from 1 ms to 30 minutes, each about a third longer than the one before: what counters can add up
//! and percentiles can be told from.

use std::collections::BTreeMap;

/// The longest time of each class in milliseconds; the last one also holds what takes longer.
const LONGEST: [u64; 48] = [
    1, 2, 3, 4, 5, 6, 7, 9, 12, 16, 21, 29, 40, 54, 73, 99, 135, 183, 249, 338, 459, 624, 847, 1_151, 1_564, 2_125,
    2_886, 3_922, 5_328, 7_238, 9_834, 13_360, 18_151, 24_660, 33_504, 45_518, 61_840, 84_016, 114_144, 155_076,
    210_686, 286_238, 388_882, 528_334, 717_794, 975_193, 1_324_895, 1_800_000,
];

/// The class of a time, from 0.
pub(super) fn class(millis: u64) -> u8 {
    let shorter = LONGEST.partition_point(|longest| *longest < millis);
    u8::try_from(shorter.min(LONGEST.len() - 1)).unwrap_or(u8::MAX)
}

/// Nearest rank: the longest time of the class that holds the value which so many percent do not exceed.
pub fn percentile(counts: &BTreeMap<u8, i64>, percent: u64) -> Option<u64> {
    let all: u64 = counts.values().map(|count| u64::try_from(*count).unwrap_or_default()).sum();
    let rank = (all * percent).div_ceil(100);
    let mut seen = 0;
    for (class, count) in counts {
        seen += u64::try_from(*count).unwrap_or_default();
        if rank > 0 && seen >= rank {
            return LONGEST.get(usize::from(*class)).copied();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_a_class_and_classes_grow() {
        assert!(LONGEST.windows(2).all(|pair| pair[0] < pair[1]));
        for (millis, longest) in [(0, 1), (1, 1), (2, 2), (8, 9), (100, 135), (1_800_000, 1_800_000)] {
            assert_eq!(LONGEST[usize::from(class(millis))], longest, "{millis}");
        }
        assert_eq!(class(u64::MAX), 47);
    }

    #[test]
    fn a_percentile_is_the_end_of_its_class() {
        let mut counts = BTreeMap::new();
        assert_eq!(percentile(&counts, 50), None);
        for millis in 1..=100 {
            *counts.entry(class(millis * 10)).or_default() += 1;
        }
        assert_eq!(percentile(&counts, 50), Some(624));
        assert_eq!(percentile(&counts, 95), Some(1_151));
        assert_eq!(percentile(&counts, 1), Some(12));
    }
}
