//! A task.

use super::part::{CREATED, TENANT, WORKSPACE, caller, failure_of};
use crate::export::Field;
use crate::export::Kind::{Count, Document, Object, Text, Time};

const SUBJECT: &[Field] =
    &[Field::new("kind", Text, "What kind of thing: `workspace` …"), Field::new("id", Text, "Its id")];
const PROGRESS: &[Field] = &[
    Field::new("done", Count, "So many parts are done"),
    Field::new("total", Count, "Of so many; null while nobody knows").or_null(),
    Field::new("text", Text, "What it is at").or_null(),
];

pub(super) const FIELDS: &[Field] = &[
    Field::new("id", Text, "The task"),
    Field::new("task_type", Text, "What work it is: `content.scrub`"),
    Field::new("status", Text, "Where it stood when it was read"),
    Field::new("epoch", Count, "Grows whenever somebody else may do it from then on"),
    Field::new("attempts", Count, "How often it was tried since it was opened or redriven"),
    Field::new("max_attempts", Count, "After so many it is given up"),
    Field::new("redrives", Count, "How often it was tried again after it was given up"),
    Field::new("available_at", Time, "When it may be tried"),
    Field::new("subject", Object(SUBJECT), "What it is about").of(&["subject_kind", "subject_id"]),
    caller("caller", "Who had it done").of(&["caller_kind", "caller_id"]),
    Field::new("user_id", Text, "The person answered for").or_null(),
    Field::new("run_id", Text, "The run it works for").or_null(),
    Field::new("params", Document, "What it is to do: ids, words and numbers"),
    Field::new("input_artifact_id", Text, "Content it works on").or_null(),
    Field::new("output_artifact_id", Text, "Content it made").or_null(),
    Field::new("progress", Object(PROGRESS), "How far it was when it was read").or_null(),
    Field::new("lease_owner", Text, "The process that was at it").or_null(),
    Field::new("lease_until", Time, "Until when that process may be silent").or_null(),
    failure_of("last_error", "Why the last attempt failed").of(&["error_code", "error_message", "error_step_id"]),
    Field::new("discard_reason", Text, "Why it was let go after it was given up").or_null(),
    Field::new("finished_at", Time, "When it was over").or_null(),
    TENANT,
    WORKSPACE,
    CREATED,
    Field::new("changed_at", Time, "When it last changed"),
];
