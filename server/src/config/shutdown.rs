//! How soit ends.

use std::time::Duration;

use super::reader::Reader;
use super::setting::settings;

settings! {
    /// How soit ends.
    pub struct Shutdown {
        /// How long it says `not_ready` before it stops accepting, so that a load balancer notices.
        pub drain: Duration = "SHUTDOWN_DRAIN_SECONDS" { default: Some("0"), production_default: Some("5"), range: (0, 600) };
        /// How long it takes at most, everything included.
        pub timeout: Duration = "SHUTDOWN_TIMEOUT_SECONDS" { default: Some("45"), range: (1, 3600) };
    }
}

impl Shutdown {
    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        if self.drain >= self.timeout {
            reader.refuse("SHUTDOWN_DRAIN_SECONDS", "leaves no time of SHUTDOWN_TIMEOUT_SECONDS", "make it shorter");
        }
    }
}
