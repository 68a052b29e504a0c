//! The form of what one says of a run.

use serde::{Deserialize, Serialize};
use types::feedback::{GiveFeedback, Rating};
use types::problem::Problem;

use super::Reader;

/// The form of what one says of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct FeedbackForm {
    /// Good or not.
    pub(crate) rating: String,
    /// Words, one a line or with commas.
    pub(crate) labels: String,
    /// In one's own words; nothing where the run takes none.
    pub(crate) comment: String,
}

impl FeedbackForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<GiveFeedback, Problem> {
        let mut reader = Reader::default();
        let rating: Option<Rating> = reader.required("rating", &self.rating);
        let labels = Reader::list(&self.labels).unwrap_or_default();
        let comment = Some(self.comment.clone()).filter(|comment| !comment.trim().is_empty());
        reader.finish(rating.map(|rating| GiveFeedback { rating, labels, comment }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rating_is_demanded_and_an_empty_comment_is_none() {
        let form =
            FeedbackForm { rating: "down".to_owned(), labels: "slow, wrong_tool".to_owned(), comment: " ".to_owned() };
        let command = form.read().expect("a command");
        assert_eq!((command.rating, command.comment), (Rating::Down, None));
        assert_eq!(command.labels, ["slow", "wrong_tool"]);
        let problem = FeedbackForm::default().read().expect_err("no rating");
        assert_eq!(problem.errors.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(), ["rating"]);
    }
}
