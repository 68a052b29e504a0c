//! Content safety of a deployment that has none.

use async_trait::async_trait;
use kernel::port::{ContentSafety, SafetyVerdict};

/// Judges nothing and says so: steps record `not_configured`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unjudged;

#[async_trait]
impl ContentSafety for Unjudged {
    async fn inbound(&self, _: &[String]) -> Result<SafetyVerdict, kernel::Error> {
        Ok(SafetyVerdict::NotConfigured)
    }

    async fn outbound(&self, _: &str) -> Result<SafetyVerdict, kernel::Error> {
        Ok(SafetyVerdict::NotConfigured)
    }
}
