//! Building outbox events: whom they concern comes from the subscriptions.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Event, Op};
use crate::outbox::subscribers;
use crate::port::Ids;

impl Event {
    /// `event_type` happened to a thing, which is named by its id.
    pub fn new(
        ids: &dyn Ids,
        event_type: &str,
        subject: impl ToString,
        payload: Value,
        occurred_at: DateTime<Utc>,
    ) -> Self {
        let subject = subject.to_string();
        Self {
            id: ids.event(),
            event_type: event_type.to_owned(),
            run_id: subject.parse().ok(),
            subject,
            payload,
            occurred_at,
            consumers: subscribers(event_type),
        }
    }
}

impl From<Event> for Op {
    fn from(event: Event) -> Self {
        Self::EventEmit(Arc::new(event))
    }
}
