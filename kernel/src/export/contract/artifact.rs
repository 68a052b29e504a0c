//! An artifact: what it is, not its bytes.

use super::part::{CREATED, TENANT, WORKSPACE};
use crate::export::Field;
use crate::export::Kind::{Count, Text};

pub(super) const FIELDS: &[Field] = &[
    Field::new("id", Text, "The artifact; its bytes are at `/runs/{run}/artifacts/{artifact}/content`"),
    Field::new("run_id", Text, "The run it belongs to; null for details of the audit").or_null(),
    Field::new("step_id", Text, "The step it came out of; null for what went into the run").or_null(),
    Field::new("kind", Text, "What it holds: `json`, `messages` …"),
    Field::new("mime", Text, "The media type, told from the bytes"),
    Field::new("size", Count, "Bytes"),
    Field::new("sha256", Text, "SHA-256 of the bytes, hex"),
    TENANT,
    WORKSPACE,
    CREATED,
];
