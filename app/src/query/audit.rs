//! The state of the audit and events lists in their URLs.

use types::audit::{AuditFilter, AuditQuery};
use types::outbox::{EventFilter, EventQuery};

use super::runs::{values, words};
use super::{Params, Range};
use crate::visit::Zone;

/// Names of the audit's filters, as the URL has them.
pub(crate) const AUDIT_FILTERS: &[&str] =
    &["f.outcome", "f.kind", "f.actor", "f.type", "f.object", "f.action", "f.event", "f.address", "f.run"];
/// Names of the filters of events, as the URL has them.
pub(crate) const EVENT_FILTERS: &[&str] = &["f.event", "f.subject", "f.run"];

/// What the URL of a list of a time says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimeQuery<Query> {
    /// Which time.
    pub range: Range,
    /// Which rows, after which cursor.
    pub query: Query,
    /// Parameters that could not be read.
    pub wrong: Vec<&'static str>,
    /// Parameters that ask for more than is taken.
    pub beyond: Vec<&'static str>,
}

/// Which audit rows, of which time, an address of the list speaks of; the parameters that could not be read, or ask for more
/// than is taken, stand beside: what is left of them names more rows.
#[must_use]
pub fn audit_of(params: &Params, zone: &Zone) -> (Range, AuditFilter, Vec<&'static str>) {
    let TimeQuery { range, query, mut wrong, beyond } = TimeQuery::read_audit(params, zone);
    wrong.extend(beyond);
    (range, query.filter, wrong)
}

/// The same for events.
#[must_use]
pub fn events_of(params: &Params, zone: &Zone) -> (Range, EventFilter, Vec<&'static str>) {
    let TimeQuery { range, query, mut wrong, beyond } = TimeQuery::read_events(params, zone);
    wrong.extend(beyond);
    (range, query.filter, wrong)
}

impl TimeQuery<AuditQuery> {
    /// Reads the parameters; what cannot be read, or is more than is taken, takes its default and is named.
    pub(crate) fn read_audit(params: &Params, zone: &Zone) -> Self {
        Self::read(params, zone, AUDIT_FILTERS, AuditFilter::MOST_VALUES, |params, wrong| AuditQuery {
            filter: AuditFilter {
                outcome: words(params, "f.outcome", wrong),
                actor_kind: words(params, "f.kind", wrong),
                actor_id: words(params, "f.actor", wrong),
                resource_type: words(params, "f.type", wrong),
                resource_id: words(params, "f.object", wrong),
                operation: words(params, "f.action", wrong),
                event_type: words(params, "f.event", wrong),
                address: words(params, "f.address", wrong),
                run_id: words(params, "f.run", wrong),
                ..AuditFilter::default()
            },
            cursor: params.get("after").map(str::to_owned),
            ..AuditQuery::default()
        })
    }

    /// Whether anything but the range narrows the list.
    pub(crate) fn is_filtered(&self) -> bool {
        self.query.filter != AuditFilter::default()
    }
}

impl TimeQuery<EventQuery> {
    /// The same for events.
    pub(crate) fn read_events(params: &Params, zone: &Zone) -> Self {
        Self::read(params, zone, EVENT_FILTERS, EventFilter::MOST_VALUES, |params, wrong| EventQuery {
            filter: EventFilter {
                event_type: words(params, "f.event", wrong),
                subject: words(params, "f.subject", wrong),
                run_id: words(params, "f.run", wrong),
                ..EventFilter::default()
            },
            cursor: params.get("after").map(str::to_owned),
            ..EventQuery::default()
        })
    }

    /// Whether anything but the range narrows the list.
    pub(crate) fn is_filtered(&self) -> bool {
        self.query.filter != EventFilter::default()
    }
}

impl<Query> TimeQuery<Query> {
    fn read(
        params: &Params,
        zone: &Zone,
        filters: &[&'static str],
        most: usize,
        read: impl FnOnce(&Params, &mut Vec<&'static str>) -> Query,
    ) -> Self {
        let beyond: Vec<&str> = filters.iter().copied().filter(|name| values(params, name) > most).collect();
        let params = &params.clone().without(&beyond);
        let mut wrong = Vec::new();
        let range = Range::read(params, zone, &mut wrong);
        let query = read(params, &mut wrong);
        Self { range, query, wrong, beyond }
    }
}

#[cfg(test)]
mod tests {
    use types::audit::Outcome;
    use types::run::{CallerKind, Term};

    use super::*;

    fn audit(query: &str) -> TimeQuery<AuditQuery> {
        TimeQuery::read_audit(&Params::parse(query), &Zone::default())
    }

    #[test]
    fn filters_of_the_audit_are_read_and_garbage_is_named() {
        let read = audit("f.outcome=denied,!done,bogus&f.kind=user&f.actor=!usr_1&f.run=nonsense&after=x");
        assert_eq!(read.query.filter.outcome, [Term::Is(Outcome::Denied), Term::Not(Outcome::Done)]);
        assert_eq!(read.query.filter.actor_kind, [Term::Is(CallerKind::User)]);
        assert_eq!(read.query.filter.actor_id, [Term::Not("usr_1".to_owned())]);
        assert_eq!((read.query.filter.run_id.len(), read.query.cursor.as_deref()), (0, Some("x")));
        assert_eq!(read.wrong, ["f.outcome", "f.run"]);
        assert!(read.is_filtered() && !audit("range=7d&after=x").is_filtered());
    }

    #[test]
    fn more_than_is_taken_is_left_out_and_named() {
        let many = vec!["done"; AuditFilter::MOST_VALUES].join(",");
        assert!(audit(&format!("f.outcome={many}")).beyond.is_empty());
        let more = audit(&format!("f.outcome={many}&f.outcome=done"));
        assert_eq!((more.beyond.as_slice(), more.query), (&["f.outcome"][..], AuditQuery::default()));
        let events = TimeQuery::read_events(&Params::parse("f.event=run.finished"), &Zone::default());
        assert!(events.is_filtered() && events.wrong.is_empty());
    }
}
