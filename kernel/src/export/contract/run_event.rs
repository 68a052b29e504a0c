//! A stored event of a run.

use super::part::{CREATED, TENANT, WORKSPACE};
use crate::export::Field;
use crate::export::Kind::{Count, Document, Text, Time};

pub(super) const FIELDS: &[Field] = &[
    Field::new("run_id", Text, "The run"),
    Field::new("offset", Count, "1, 2, 3 … without gaps in the run"),
    Field::new("type", Text, "What happened: `step.opened`").of(&["event_type"]),
    Field::new("occurred_at", Time, "When"),
    Field::new("step_id", Text, "The step concerned").or_null(),
    Field::new("payload", Document, "What happened"),
    TENANT,
    WORKSPACE,
    CREATED,
];
