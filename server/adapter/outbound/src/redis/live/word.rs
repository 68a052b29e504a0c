//! What processes say to each other, as text.

use serde::{Deserialize, Serialize};
use types::id::RunId;
use types::observe::Hint;

/// Text of one delta at most; whoever reads a run with a longer one is told that it is missed.
pub(super) const MOST_TEXT: usize = 64 * 1024;
/// Bytes of a message that are looked at: a few more than the longest of ours has, escapes included.
const MOST_BYTES: usize = 8 * MOST_TEXT;

/// What is said to the readers of a subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// Text of a run that is not stored.
    Delta {
        /// Characters before it.
        chars: u64,
        /// The text.
        text: String,
    },
    /// The store has more of the run.
    More,
    /// A run of the workspace changed.
    Run(RunId),
    /// Something else of the workspace changed.
    Hint(Hint),
    /// Something was not said.
    Missed,
}

/// What processes say among themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Call {
    /// "I am here, and so is the server between us."
    Beat,
    /// "I want to hear of these", by their names.
    Wants(Vec<String>),
    /// "Say what you want: I do not know."
    WhoWants,
    /// "I could not say what I had to."
    Lost,
}

/// Something said, and by which process.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Said<T>(pub(super) String, pub(super) T);

impl<T: Serialize> Said<T> {
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What a message says, unless it is none of ours.
pub(super) fn read<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Option<Said<T>> {
    let fits = bytes.len() <= MOST_BYTES;
    fits.then(|| serde_json::from_slice(bytes).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use types::id::Uuid;
    use types::observe::Topic;

    use super::*;

    #[test]
    fn every_word_is_read_as_it_was_said() {
        let hint = Hint { topic: Topic::Budgets, id: "bud_1".to_owned(), version: u64::MAX };
        let words = [
            Word::Delta { chars: u64::MAX, text: "\"\u{1f600}\n".to_owned() },
            Word::More,
            Word::Run(RunId::from_uuid(Uuid::from_u128(5))),
            Word::Hint(hint),
            Word::Missed,
        ];
        for word in words {
            let said = Said("me".to_owned(), word);
            assert_eq!(read(said.to_text().as_bytes()), Some(said));
        }
        for call in [Call::Beat, Call::Wants(vec!["a".to_owned()]), Call::WhoWants, Call::Lost] {
            let said = Said("me".to_owned(), call);
            assert_eq!(read(said.to_text().as_bytes()), Some(said));
        }
    }

    #[test]
    fn what_is_not_ours_says_nothing() {
        for bytes in [&b""[..], b"{}", b"[\"me\",\"unknown\"]", b"[\"me\",{\"delta\":{}}]", b"\xff"] {
            assert_eq!(read::<Word>(bytes), None);
        }
        let longest = Word::Delta { chars: 0, text: "\u{1}".repeat(MOST_TEXT) };
        assert!(read::<Word>(Said("a".repeat(32), longest).to_text().as_bytes()).is_some());
        let huge = format!("[\"me\",{{\"delta\":{{\"chars\":0,\"text\":\"{}\"}}}}]", "x".repeat(MOST_BYTES));
        assert_eq!(read::<Word>(huge.as_bytes()), None);
    }
}
