//! English.

use super::Audit;

pub(crate) const EN: Audit = Audit {
    title: "Audit",
    empty: "Nothing in this time",
    empty_text: "What people and soit itself do in this workspace is recorded here.",
    no_match: "Nothing matches",
    no_match_text: "No entry of this time has all of these filters.",
    wider: "Look at 90 days",
    outcome: "Result",
    event: "What happened",
    actor: "Who",
    actor_kind: "Kind",
    resource: "Object",
    resource_type: "Object type",
    object: |kind| match kind {
        "api_key" => "API key",
        "dead_letter" => "dead letter",
        "egress" => "egress rules",
        other => other,
    },
    part: |part| match part {
        "anonymous" => "for somebody not signed in",
        "bootstrap" => "at its first start",
        other => other,
    },
    operation: "Action",
    address: "Address",
    credential: "Credential",
    run: "Run",
    when: "When",
    number: |seq| format!("Entry {seq}"),
    changes: "Changes",
    member: "Field",
    before: "Before",
    after: "After",
    unchanged: "Nothing differs between before and after.",
    details: "Details",
};
