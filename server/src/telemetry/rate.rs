//! A cap on log lines: a flood must not fill the disk or slow the work down.

/// Lines written in one second.
const MOST: u64 = 10_000;

/// Counts the lines of the present second.
#[derive(Debug, Default)]
pub(super) struct Rate {
    second: u64,
    lines: u64,
    dropped: u64,
}

/// What becomes of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Admission {
    /// Whether it is written.
    pub(super) admitted: bool,
    /// Lines left out in the seconds before, to be told now.
    pub(super) dropped: u64,
}

impl Rate {
    pub(super) fn admit(&mut self, second: u64) -> Admission {
        let mut dropped = 0;
        if second != self.second {
            dropped = std::mem::take(&mut self.dropped);
            (self.second, self.lines) = (second, 0);
        }
        let admitted = self.lines < MOST;
        if admitted {
            self.lines += 1;
        } else {
            self.dropped += 1;
        }
        Admission { admitted, dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_after_a_flood_tells_how_much_is_missing() {
        let mut rate = Rate::default();
        let admitted = (0..MOST + 5).filter(|_| rate.admit(7).admitted).count();
        assert_eq!(u64::try_from(admitted), Ok(MOST));
        assert_eq!(rate.admit(8), Admission { admitted: true, dropped: 5 });
        assert_eq!(rate.admit(8), Admission { admitted: true, dropped: 0 });
    }
}
