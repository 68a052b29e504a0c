//! Background tasks.

use super::setting::settings;

settings! {
    /// Background tasks.
    pub struct Worker {
        /// How many background tasks this process does at once.
        pub concurrency: usize = "WORKER_CONCURRENCY" { default: Some("16"), range: (1, 256) };
    }
}
