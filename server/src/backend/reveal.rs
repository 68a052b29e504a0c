//! New secrets between the form that made them and the page that shows them, so that none travels in a URL.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use kernel::secret::SecretString;
use types::id::{SessionId, Uuid};

/// How long a secret waits for its page.
const KEPT_FOR: TimeDelta = TimeDelta::minutes(5);
/// Secrets that wait at once.
const CAPACITY: usize = 1_000;

/// Secrets of keys and links of invitations, by the session that made them and the id of what they belong to. They are gone with the process, and after being taken once.
#[derive(Debug, Default)]
pub struct Reveals(Mutex<HashMap<(SessionId, Uuid), Kept>>);

#[derive(Debug)]
struct Kept {
    secret: SecretString,
    until: DateTime<Utc>,
}

impl Reveals {
    pub(super) fn keep(&self, session: SessionId, of: Uuid, secret: SecretString, now: DateTime<Utc>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, kept| now < kept.until);
        if kept.len() < CAPACITY {
            kept.insert((session, of), Kept { secret, until: now + KEPT_FOR });
        }
    }

    pub(super) fn has(&self, session: SessionId, of: Uuid, now: DateTime<Utc>) -> bool {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&(session, of)).is_some_and(|kept| now < kept.until)
    }

    pub(super) fn take(&self, session: SessionId, of: Uuid, now: DateTime<Utc>) -> Option<SecretString> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(&(session, of)).filter(|kept| now < kept.until).map(|kept| kept.secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_taken_once_by_the_session_that_made_it_and_in_time() {
        let (reveals, now) = (Reveals::default(), DateTime::<Utc>::UNIX_EPOCH);
        let session = |number| SessionId::from_uuid(Uuid::from_u128(number));
        let key = Uuid::from_u128(7);
        let keep = || reveals.keep(session(1), key, SecretString::new("sk_x".to_owned()), now);
        let take = |who, at| reveals.take(session(who), key, at).map(|secret| secret.expose().to_owned());
        keep();
        assert_eq!(take(2, now), None);
        assert!(reveals.has(session(1), key, now) && !reveals.has(session(2), key, now));
        assert_eq!(take(1, now), Some("sk_x".to_owned()));
        assert_eq!(take(1, now), None);
        keep();
        assert_eq!(take(1, now + KEPT_FOR), None);
    }
}
