//! How many tokens a prompt has: a count for prices and context, a bound for holds.

use types::cost::UsageBasis;

use super::wish::Wish;
use crate::port::Tokenizer;

/// Around each message of a prompt.
const PER_MESSAGE: u64 = 4;
/// Around a whole prompt.
const PER_PROMPT: u64 = 64;
/// The most an image takes by the published tile rules, rounded up.
const PER_IMAGE: u64 = 1_600;
/// What the shared tokenizer may undercount models whose own is not public, in percent.
const UNKNOWN_MODEL_PERCENT: u64 = 130;

/// The size of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    /// Never fewer than the provider will count.
    pub(super) bound: u64,
    /// The exact count, where the model's tokenizer is public.
    counted: Option<u64>,
    messages: u64,
    images: u64,
}

impl Prompt {
    /// Measures a prompt for a model.
    pub(super) async fn measure(tokenizer: &dyn Tokenizer, model: &str, wish: &Wish) -> Self {
        let extra = wish.extra;
        let around = PER_MESSAGE * extra.messages + extra.schema_bytes + PER_IMAGE * extra.images + PER_PROMPT;
        let counted = match (wish.tokens.as_slice(), tokenizer.is_exact(model)) {
            ([], true) => Some(tokenizer.count(model, &wish.texts).await),
            ([], false) => None,
            (tokens, _) => Some(tokens.iter().map(|ids| size(ids.len())).sum()),
        };
        let text = counted.unwrap_or_else(|| wish.texts.iter().map(|text| size(text.len())).sum());
        Self { bound: text.saturating_add(around), counted, messages: extra.messages, images: extra.images }
    }

    /// The best count there is, for what has to be estimated.
    pub(super) async fn estimate(&self, tokenizer: &dyn Tokenizer, model: &str, texts: &[String]) -> (u64, UsageBasis) {
        let (text, basis) = match self.counted {
            Some(counted) => (counted, UsageBasis::Tokenizer),
            None => count(tokenizer, model, texts).await,
        };
        (text + PER_IMAGE * self.images, basis)
    }

    /// What the prompt takes of the context: the best count there is, never more than the bound.
    pub(super) async fn in_context(&self, tokenizer: &dyn Tokenizer, model: &str, texts: &[String]) -> u64 {
        let (tokens, _) = self.estimate(tokenizer, model, texts).await;
        (tokens + PER_MESSAGE * self.messages).min(self.bound)
    }
}

/// Counts texts, and says how far the count is to be trusted.
pub(super) async fn count(tokenizer: &dyn Tokenizer, model: &str, texts: &[String]) -> (u64, UsageBasis) {
    let counted = tokenizer.count(model, texts).await;
    if tokenizer.is_exact(model) {
        (counted, UsageBasis::Tokenizer)
    } else {
        ((counted * UNKNOWN_MODEL_PERCENT).div_ceil(100), UsageBasis::Calibrated)
    }
}

pub(super) fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
