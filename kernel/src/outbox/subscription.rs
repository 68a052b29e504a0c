//! Which consumer wants which events.

/// The consumer behind live lists.
pub const LIVE: &str = "live";

/// The consumer that sends mails.
pub const MAIL: &str = "mail";

/// What a consumer wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The consumer's name, kept with every delivery: never changed.
    pub consumer: &'static str,
    /// Names of events.
    pub event_types: &'static [&'static str],
}

/// Every consumer and what it wants. A new one is told what happens from then on.
pub const SUBSCRIPTIONS: &[Subscription] = &[
    Subscription { consumer: LIVE, event_types: &["run.finished"] },
    Subscription { consumer: MAIL, event_types: &["mail.requested"] },
];

/// The consumers that want an event of this name.
pub fn subscribers(event_type: &str) -> Vec<&'static str> {
    let wanting = SUBSCRIPTIONS.iter().filter(|subscription| subscription.event_types.contains(&event_type));
    wanting.map(|subscription| subscription.consumer).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn whoever_wants_an_event_is_told_of_it_and_nobody_else() {
        assert_eq!(subscribers("run.finished"), [LIVE]);
        assert_eq!(subscribers("run.started"), [""; 0]);
    }

    #[test]
    fn no_consumer_is_named_twice() {
        let names: BTreeSet<&str> = SUBSCRIPTIONS.iter().map(|subscription| subscription.consumer).collect();
        assert_eq!(names.len(), SUBSCRIPTIONS.len());
    }
}
