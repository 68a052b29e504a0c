//! The cap of a streamed answer: a provider that talks on is cut off.

use super::tokens::size;
use crate::port::Tokenizer;

/// Tokens an answer may have beyond its cap: tokenizers differ by a little.
const SLACK: u64 = 64;

/// Counts the words of a stream, but only once they could be too many: a text has at most as many tokens as bytes.
#[derive(Debug)]
pub(super) struct CapWatch {
    limit: Option<u64>,
    counted: u64,
    uncounted: String,
}

impl CapWatch {
    /// Watches over a cap; over nothing where there is none.
    pub(super) fn new(cap: Option<u64>) -> Self {
        Self { limit: cap.map(|cap| cap.saturating_add(SLACK)), counted: 0, uncounted: String::new() }
    }

    /// Takes new words; true once they are too many.
    pub(super) async fn passes(&mut self, text: &str, tokenizer: &dyn Tokenizer, model: &str) -> bool {
        let Some(limit) = self.limit else { return false };
        self.uncounted.push_str(text);
        if self.counted.saturating_add(size(self.uncounted.len())) <= limit {
            return false;
        }
        let words = std::mem::take(&mut self.uncounted);
        self.counted = self.counted.saturating_add(tokenizer.count(model, &[words]).await);
        self.counted > limit
    }
}
