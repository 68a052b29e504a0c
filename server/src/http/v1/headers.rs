//! What the headers of an answer tell.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use chrono::{DateTime, Utc};
use kernel::gateway::{Facts, Standing, Standings};
use types::money::Money;

use crate::http::frame::RUN_ID;
use crate::http::idempotency::REPLAYED;

const MODEL_REF: HeaderName = HeaderName::from_static("x-soit-model-ref");
const ATTEMPTS: HeaderName = HeaderName::from_static("x-soit-attempts");
const COST: HeaderName = HeaderName::from_static("x-soit-cost");
const SETTLEMENT: HeaderName = HeaderName::from_static("x-soit-settlement");

const OF_REQUESTS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit-requests"),
    HeaderName::from_static("x-ratelimit-remaining-requests"),
    HeaderName::from_static("x-ratelimit-reset-requests"),
];
const OF_TOKENS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit-tokens"),
    HeaderName::from_static("x-ratelimit-remaining-tokens"),
    HeaderName::from_static("x-ratelimit-reset-tokens"),
];

/// The run, who answered, and the caller's limits.
pub(super) fn add_facts(headers: &mut HeaderMap, facts: &Facts) {
    put(headers, RUN_ID, &facts.run_id.to_string());
    put(headers, MODEL_REF, &facts.model_ref);
    add_attempts(headers, Some(facts.attempts));
    add_standings(headers, &facts.standings);
    if facts.is_replayed {
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
}

/// How often the provider was asked.
pub(super) fn add_attempts(headers: &mut HeaderMap, attempts: Option<u32>) {
    if let Some(attempts) = attempts {
        headers.insert(ATTEMPTS, HeaderValue::from(attempts));
    }
}

/// What a whole answer cost, and whether its settlement is still on its way.
pub(super) fn add_settlement(headers: &mut HeaderMap, cost: Option<Money>, is_deferred: bool) {
    if let Some(cost) = cost {
        put(headers, COST, &cost.to_string());
    }
    if is_deferred {
        headers.insert(SETTLEMENT, HeaderValue::from_static("deferred"));
    }
}

/// The caller's tightest limits.
pub(super) fn add_standings(headers: &mut HeaderMap, standings: &Standings) {
    for (names, standing) in [(OF_REQUESTS, standings.requests), (OF_TOKENS, standings.tokens)] {
        let (Some(standing), [limit, remaining, reset]) = (standing, names) else { continue };
        let Standing { seen_at, resets_at, .. } = standing;
        headers.insert(limit, HeaderValue::from(standing.limit));
        headers.insert(remaining, HeaderValue::from(standing.remaining));
        put(headers, reset, &until(resets_at, seen_at));
    }
}

/// The time from one moment to another, in the form OpenAI sends: `6m0s`.
fn until(end: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let millis = u64::try_from((end - now).num_milliseconds()).unwrap_or_default();
    let seconds = millis.div_ceil(1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, _) => format!("{minutes}m{seconds}s"),
        _ => format!("{hours}h{minutes}m{seconds}s"),
    }
}

/// A text that cannot stand in a header is left out.
fn put(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_like_openai_writes_them() {
        let now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        for (millis, text) in [(0, "0s"), (1, "1s"), (59_001, "1m0s"), (360_000, "6m0s"), (86_399_000, "23h59m59s")] {
            assert_eq!(until(now + chrono::TimeDelta::milliseconds(millis), now), text);
        }
        assert_eq!(until(now - chrono::TimeDelta::seconds(5), now), "0s");
    }
}
