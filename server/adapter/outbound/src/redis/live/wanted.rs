//! What readers of other processes want to hear of.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use kernel::port::Subject;

/// How long a wish is good: it is said anew every few seconds.
const GOOD_FOR: Duration = Duration::from_secs(15);

/// Subjects and until when somebody elsewhere wants them.
#[derive(Debug, Default)]
pub(super) struct Wanted(RwLock<HashMap<Subject, Duration>>);

impl Wanted {
    /// Somebody wants these.
    pub(super) fn note(&self, subjects: impl Iterator<Item = Subject>, now: Duration) {
        let mut wanted = self.0.write().unwrap_or_else(PoisonError::into_inner);
        wanted.extend(subjects.map(|subject| (subject, now + GOOD_FOR)));
    }

    /// Whether anybody wants it.
    pub(super) fn has(&self, subject: Subject, now: Duration) -> bool {
        let wanted = self.0.read().unwrap_or_else(PoisonError::into_inner);
        wanted.get(&subject).is_some_and(|until| *until > now)
    }

    /// Forgets the wishes that were not said anew.
    pub(super) fn prune(&self, now: Duration) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).retain(|_, until| *until > now);
    }
}

#[cfg(test)]
mod tests {
    use types::id::{RunId, Uuid};

    use super::*;

    #[test]
    fn a_wish_is_good_until_it_is_not_said_any_more() {
        let (wanted, run) = (Wanted::default(), Subject::Run(RunId::from_uuid(Uuid::nil())));
        assert!(!wanted.has(run, Duration::ZERO));
        wanted.note([run].into_iter(), Duration::ZERO);
        wanted.prune(GOOD_FOR / 2);
        assert!(wanted.has(run, GOOD_FOR / 2) && !wanted.has(run, GOOD_FOR));
        wanted.note([run].into_iter(), GOOD_FOR / 2);
        assert!(wanted.has(run, GOOD_FOR));
        wanted.prune(GOOD_FOR * 2);
        assert!(wanted.0.read().unwrap().is_empty());
    }
}
