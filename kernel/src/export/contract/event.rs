//! An outbox event.

use super::part::{CREATED, TENANT, WORKSPACE};
use crate::export::Field;
use crate::export::Kind::{Count, Document, Text, Time};

pub(super) const FIELDS: &[Field] = &[
    Field::new("id", Text, "The event: what consumers tell repeats by"),
    Field::new("event_type", Text, "What happened: `run.finished`"),
    Field::new("occurred_at", Time, "When"),
    Field::new("subject", Text, "What it is about, as an id"),
    Field::new("subject_seq", Count, "Its number within the subject, without gaps"),
    Field::new("run_id", Text, "The run it belongs to").or_null(),
    Field::new("payload", Document, "What happened"),
    TENANT,
    WORKSPACE,
    CREATED,
];
