//! What a provider's failure means: whether it is tried again, whether it is charged, what the caller sees.

use std::time::Duration;

use types::problem::Code;

use crate::Error;
use crate::port::{Ids, UpstreamError, UpstreamKind};

/// The first wait; it doubles with each attempt.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// A provider that asks to wait longer is not waited for.
const LONGEST_ASKED: u64 = 10;

/// Whether the same call may succeed a moment later.
fn is_passing(kind: UpstreamKind) -> bool {
    match kind {
        UpstreamKind::Connect
        | UpstreamKind::Reset
        | UpstreamKind::ErrorInBody
        | UpstreamKind::Garbage
        | UpstreamKind::Cut => true,
        UpstreamKind::Status(status) => matches!(status, 408 | 409 | 429 | 500..=599),
        UpstreamKind::Timeout | UpstreamKind::Credential => false,
    }
}

/// How long to wait before the attempt after `attempt`; `None` when there is none.
pub(super) fn wait(error: &UpstreamError, attempt: u32, max_retries: u32, ids: &dyn Ids) -> Option<Duration> {
    if attempt > max_retries || !is_passing(error.kind) {
        return None;
    }
    if let Some(seconds) = error.retry_after {
        return (seconds <= LONGEST_ASKED).then(|| Duration::from_secs(seconds));
    }
    let full = FIRST_WAIT.saturating_mul(1 << (attempt - 1).min(8)).min(LONGEST_WAIT);
    let mut random = [0; 4];
    ids.random(&mut random);
    // Full jitter: anything from nothing to the whole wait.
    Some(full.mul_f64(f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX)))
}

/// Whether the provider may have worked for us, so that the attempt is charged although it failed.
pub(super) fn is_charged(kind: UpstreamKind, has_content: bool) -> bool {
    match kind {
        UpstreamKind::Reset | UpstreamKind::Timeout | UpstreamKind::Garbage | UpstreamKind::Cut => true,
        UpstreamKind::ErrorInBody => has_content,
        UpstreamKind::Connect | UpstreamKind::Status(_) | UpstreamKind::Credential => false,
    }
}

/// Whether anything was sent at all.
pub(super) fn was_sent(kind: UpstreamKind) -> bool {
    !matches!(kind, UpstreamKind::Connect | UpstreamKind::Credential)
}

/// What the caller sees of a provider's failure: soit's words, and the provider's own behind them.
pub(super) fn refusal(error: &UpstreamError) -> Error {
    let (code, words) = words(error.kind);
    let detail = match error.kind {
        UpstreamKind::Status(_) | UpstreamKind::ErrorInBody if !error.message.is_empty() => {
            format!("{words}: {}", error.message)
        }
        _ => words.to_owned(),
    };
    let refused = Error::new(code, detail);
    match code {
        Code::UpstreamRateLimited => refused.with_retry_after(error.retry_after.unwrap_or(1)),
        _ => refused,
    }
}

/// A provider's failure in soit's words alone: the provider's may repeat the prompt.
pub(super) fn words(kind: UpstreamKind) -> (Code, &'static str) {
    match kind {
        UpstreamKind::Timeout => (Code::Timeout, "the provider did not answer in time"),
        UpstreamKind::Credential => {
            (Code::SecretUnreadable, "the account's credential cannot be opened with the present keys; set it again")
        }
        UpstreamKind::Status(429) => (Code::UpstreamRateLimited, "the provider asks to slow down"),
        // Its credential or account is at fault, not the caller's.
        UpstreamKind::Status(401..=403) => (Code::UpstreamError, "the provider refuses the account's credential"),
        UpstreamKind::Status(408 | 409 | 500..=599) | UpstreamKind::ErrorInBody => {
            (Code::UpstreamError, "the provider failed")
        }
        UpstreamKind::Status(400..=499) => (Code::UpstreamInvalidRequest, "the provider refuses the request"),
        UpstreamKind::Connect => (Code::UpstreamError, "the provider cannot be reached"),
        UpstreamKind::Reset => (Code::UpstreamError, "the provider closed the connection"),
        UpstreamKind::Cut => (Code::UpstreamError, "the provider's answer ended early"),
        UpstreamKind::Garbage | UpstreamKind::Status(_) => {
            (Code::UpstreamError, "the provider's answer cannot be read")
        }
    }
}
