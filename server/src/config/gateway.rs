//! Calls to model providers.

use std::time::Duration;

use super::setting::settings;

settings! {
    /// Calls to model providers.
    pub struct Gateway {
        /// How long a whole model call may take; also the wait for the first content of a stream.
        pub llm_timeout: Duration = "LLM_TIMEOUT_MS" { default: Some("180000"), range: (100, 3_600_000) };
    }
}
