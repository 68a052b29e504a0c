//! A step.

use super::part::{CREATED, TENANT, WORKSPACE, content, failure};
use crate::export::Field;
use crate::export::Kind::{Count, Document, Text, Time};

pub(super) const FIELDS: &[Field] = &[
    Field::new("id", Text, "The step"),
    Field::new("run_id", Text, "Its run"),
    Field::new("seq", Count, "1, 2, 3 … without gaps in the run"),
    Field::new("type", Text, "What it is").of(&["step_type"]),
    Field::new("status", Text, "Where it stood when it was read"),
    Field::new("attempt_no", Count, "1 for the first attempt of the call"),
    Field::new("effect", Text, "What it does to the world"),
    Field::new("parent_step_id", Text, "The step it belongs under").or_null(),
    Field::new("call_id", Text, "Shared by the attempts of one call").or_null(),
    Field::new("started_at", Time, "When it started"),
    Field::new("outbound_at", Time, "When the effect was let out").or_null(),
    Field::new("ended_at", Time, "When it ended").or_null(),
    Field::new("latency_ms", Count, "Milliseconds from start to end").or_null(),
    Field::new("ttft_ms", Count, "Milliseconds to the first content").or_null(),
    failure("Why it failed").of(&["error_code", "error_message"]),
    Field::new("decision", Document, "The decision it was allowed by: gates and rules"),
    Field::new("metrics", Document, "Model, provider, usage and timings"),
    Field::new("request_digest", Text, "SHA-256 of the canonical request, hex").or_null(),
    content("input", "What went in").of(&["input_preview", "input_chars", "input_artifact_id"]),
    content("output", "What came out").of(&["output_preview", "output_chars", "output_artifact_id"]),
    TENANT,
    WORKSPACE,
    CREATED,
];
