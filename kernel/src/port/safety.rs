//! Content safety: judged before a prompt leaves and before an answer is released.

use async_trait::async_trait;

/// What content safety says of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SafetyVerdict {
    /// Nothing judges in this deployment: recorded on the step, never a silent pass.
    NotConfigured,
    /// Judged and let pass.
    Pass,
    /// Judged and blocked, with the categories found.
    Block(Vec<String>),
}

/// Judges texts.
#[async_trait]
pub trait ContentSafety: Send + Sync {
    /// Judges what is about to leave. `Err` means it cannot be judged, so the call is refused.
    async fn inbound(&self, texts: &[String]) -> Result<SafetyVerdict, crate::Error>;
    /// Judges what is about to be released.
    async fn outbound(&self, text: &str) -> Result<SafetyVerdict, crate::Error>;
}
