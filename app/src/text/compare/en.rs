//! English.

use types::compare::StepChange;

use super::Compare;

pub(crate) const EN: Compare = Compare {
    title: "Compare runs",
    compare: "Compare",
    first: "First",
    second: "Second",
    difference: "Difference",
    swap: "Swap",
    two_needed: "Two runs are needed",
    two_needed_text: "Tick exactly two runs in the list, then choose Compare.",
    steps: "Steps",
    no_steps: "Neither run has a step.",
    changed: |count| match count {
        1 => "1 step differs".to_owned(),
        count => format!("{} steps differ", crate::format::count(count)),
    },
    alike: "No step differs but in time, tokens and cost.",
    changes: "What differs",
    change: |change| match change {
        StepChange::OnlyA => "Only first",
        StepChange::OnlyB => "Only second",
        StepChange::Subject => "Model",
        StepChange::Status => "Status",
        StepChange::Verdict => "Decision",
        StepChange::Input => "Input",
        StepChange::Output => "Output",
    },
    time: "Time",
    same: "Nothing",
    removed: "Removed",
    added: "Added",
    feedback: "Feedback",
    nobody: "Nobody has said anything about this run yet.",
    up: "Good",
    up_text: "It did what it should.",
    down: "Not good",
    down_text: "Something was wrong.",
    rating: "How was this run?",
    labels: "Labels",
    labels_hint: "Words like wrong_tool, one a line or with commas; at most 10.",
    comment: "Comment",
    comment_hint: "At most 2000 characters. Everybody who may read the run reads it.",
    comment_withheld: "This run keeps no content, so it takes no comment.",
    send: "Send feedback",
    send_anew: "Replace my feedback",
    sent: "Your feedback is kept.",
    somebody: "Somebody who left",
};
