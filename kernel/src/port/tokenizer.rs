//! Counting tokens.

use async_trait::async_trait;

/// Counts tokens as the model would; linear in hostile input.
#[async_trait]
pub trait Tokenizer: Send + Sync {
    /// Tokens of the texts together for the provider's model name, special tokens counted as text. Long texts are counted
    /// off the request threads.
    async fn count(&self, model: &str, texts: &[String]) -> u64;
    /// Whether the model's own tokenizer is public, so that counts are exact.
    fn is_exact(&self, model: &str) -> bool;
    /// The text of token ids, or the index of the first id that is none.
    fn decode(&self, model: &str, ids: &[u32]) -> Result<String, usize>;
}
