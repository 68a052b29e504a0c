//! The form that lets a dead letter go.

use serde::{Deserialize, Serialize};
use types::outbox::DiscardDeadLetter;
use types::problem::Problem;

use super::Reader;

/// The form that lets a dead letter go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DiscardForm {
    /// Why.
    pub(crate) reason: String,
}

impl DiscardForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<DiscardDeadLetter, Problem> {
        let mut reader = Reader::default();
        let reason = self.reason.trim().to_owned();
        if reason.is_empty() {
            reader.refuse("reason", "must say why");
        }
        reader.finish(Some(DiscardDeadLetter { reason }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_demanded() {
        let blank = DiscardForm { reason: "  ".to_owned() };
        let problem = blank.read().expect_err("no reason");
        assert_eq!(problem.errors.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(), ["reason"]);
        let command = DiscardForm { reason: " sent by hand ".to_owned() }.read().expect("a reason");
        assert_eq!(command.reason, "sent by hand");
    }
}
