//! An audit row.

use super::part::{CREATED, TENANT, WORKSPACE, caller};
use crate::export::Field;
use crate::export::Kind::{Count, Document, Object, Text, Time};

const RESOURCE: &[Field] = &[Field::new("type", Text, "What kind of thing"), Field::new("id", Text, "Its id")];

pub(super) const FIELDS: &[Field] = &[
    Field::new("id", Text, "The row"),
    Field::new("seq", Count, "Its number in the workspace, without gaps"),
    Field::new("occurred_at", Time, "When it happened"),
    Field::new("event_type", Text, "What happened: `key.created`"),
    Field::new("operation", Text, "`resource.action` of the permission matrix"),
    Field::new("outcome", Text, "What it came to"),
    caller("actor", "Who did it").of(&["actor_kind", "actor_id"]),
    Field::new("resource", Object(RESOURCE), "What it was done to").of(&["resource_type", "resource_id"]),
    Field::new("run_id", Text, "The run it belongs to").or_null(),
    Field::new("address", Text, "The client's address").or_null(),
    Field::new("credential_id", Text, "The key or session used").or_null(),
    Field::new("payload", Document, "Details, never a secret"),
    TENANT,
    WORKSPACE,
    CREATED,
];
