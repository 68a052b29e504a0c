//! Fields that several kinds of records have, and what they are made of.

use crate::export::Field;
use crate::export::Kind::{Count, Decimal, List, Map, Object, Text, Time};

pub(super) const TENANT: Field = Field::new("tenant_id", Text, "The tenant");
pub(super) const WORKSPACE: Field = Field::new("workspace_id", Text, "The workspace");
pub(super) const CREATED: Field =
    Field::new("created_at", Time, "When it was written, by the database's clock: what `since` and `until` compare");

const CALLER: &[Field] =
    &[Field::new("kind", Text, "What kind of caller: `user`, `service_principal` …"), Field::new("id", Text, "Its id")];
const CONTENT: &[Field] = &[
    Field::new("preview", Text, "At most 2048 characters; null where content is not kept").or_null(),
    Field::new("chars", Count, "Characters of the whole"),
    Field::new("artifact_id", Text, "The artifact that holds the whole; null where the preview does, or none is kept")
        .or_null(),
];
const FAILURE: &[Field] = &[
    Field::new("code", Text, "A problem code, or the word for what ended it"),
    Field::new("message", Text, "At most 2000 characters"),
    Field::new("step_id", Text, "The step that failed, of runs").or_null(),
];
const MONEY: &[Field] =
    &[Field::new("currency", Text, "ISO 4217 code"), Field::new("amount", Decimal, "A decimal number, exact")];
const TOTALS: &[Field] = &[
    Field::new("model_calls", Count, "Model calls, attempts included"),
    Field::new("tool_calls", Count, "Tool calls"),
    Field::new("usage", Map(&Count), "Quantities by usage class"),
    Field::new("cost", List(&Object(MONEY)), "One entry a currency"),
    Field::new("unpriced", Count, "Metered attempts without a price"),
    Field::new("estimated", crate::export::Kind::Flag, "Whether part of the cost is estimated"),
];

pub(super) const fn caller(name: &'static str, about: &'static str) -> Field {
    Field::new(name, Object(CALLER), about)
}

pub(super) const fn content(name: &'static str, about: &'static str) -> Field {
    Field::new(name, Object(CONTENT), about)
}

pub(super) const fn failure(about: &'static str) -> Field {
    failure_of("error", about)
}

pub(super) const fn failure_of(name: &'static str, about: &'static str) -> Field {
    Field::new(name, Object(FAILURE), about).or_null()
}

pub(super) const fn totals(about: &'static str) -> Field {
    Field::new("totals", Object(TOTALS), about)
}
