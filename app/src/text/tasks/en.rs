//! English.

use types::task::TaskStatus;

use super::Tasks;

pub(crate) const EN: Tasks = Tasks {
    title: "Tasks",
    empty: "No tasks yet",
    empty_text: "Work that takes longer than a request appears here, with how far it is.",
    no_match: "Nothing matches",
    no_match_text: "No task has all of these filters.",
    status: |status| match status {
        TaskStatus::Queued => "Queued",
        TaskStatus::Running => "Running",
        TaskStatus::WaitingInput => "Waits for input",
        TaskStatus::WaitingApproval => "Waits for approval",
        TaskStatus::RetryWait => "Waits for the next try",
        TaskStatus::Succeeded => "Succeeded",
        TaskStatus::Failed => "Given up",
        TaskStatus::Canceled => "Canceled",
    },
    kind_name: |kind| match kind {
        "content.scrub" => "Erase content",
        other => other,
    },
    id: "Task",
    kind: "Type",
    subject: "About",
    run: "Run",
    attempts: "Attempts",
    progress: "Progress",
    next: "Next try",
    error: "Last error",
    discarded: "Let go",
    finished: "Over since",
    params: "Parameters",
    of: |part, whole| format!("{part} of {whole}"),
    cancel: "Cancel",
    retry: "Try again",
    told_canceled: "Canceled.",
    told_retried: "Is tried again.",
    scrub: "Erase content",
    scrub_text: "What went in and came out of runs that ended before a day, their long content and what people said of them is erased for good. Records, costs and the hash chain stay, and so does what a legal hold keeps.",
    scrub_question: "Erase the content of this workspace?",
    before: "Of before",
    before_hint: "A day in UTC like 2026-12-01, up to today.",
    told_scrubbing: "Content is being erased.",
};
