//! The form that erases content.

use serde::{Deserialize, Serialize};
use types::problem::Problem;
use types::task::ScrubContent;

use super::Reader;
use super::workspace::moment;

/// The form that erases content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ScrubForm {
    /// Content of before this day.
    pub(crate) before: String,
}

impl ScrubForm {
    /// The command, or what is wrong.
    pub(crate) fn read(&self) -> Result<ScrubContent, Problem> {
        let mut reader = Reader::default();
        let before = moment(self.before.trim());
        if before.is_none() {
            reader.refuse("before", "must be a day like 2026-12-01");
        }
        reader.finish(before.map(|before| ScrubContent { before }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_the_moment_it_begins() {
        let read = |before: &str| ScrubForm { before: before.to_owned() }.read();
        assert_eq!(read(" 2026-12-01 ").expect("a day").before.to_rfc3339(), "2026-12-01T00:00:00+00:00");
        for wrong in ["", "soon", "2026-13-01"] {
            let problem = read(wrong).expect_err("no day");
            assert_eq!(problem.errors.first().map(|error| error.field.as_str()), Some("before"), "{wrong}");
        }
    }
}
