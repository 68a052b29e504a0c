//! English.

use super::Runs;

pub(crate) const EN: Runs = Runs {
    at_least: |count| format!("more than {count}"),
    at_least_short: |count| format!("{count}+"),
    columns: "Columns",
    cost: "Cost",
    duration: "Duration",
    empty: "No runs in this range",
    empty_text: "Every call through the gateway becomes a run and appears here while it happens.",
    entry: "Door",
    in_range: |count, range| format!("{count} in {range}"),
    key: "Key",
    mode: "Kind",
    model: "Model",
    new_activity: "Something changed: load anew",
    new_runs: |count| match count {
        1 => "1 new run".to_owned(),
        count => format!("{} new runs", crate::format::count(count)),
    },
    no_match: "Nothing matches",
    no_match_text: "No run in this range matches every filter.",
    open: "Open run",
    peek: "Peek",
    run: "Run",
    search_hint: "Id, model, error, text",
    started: "Started",
    title: "Runs",
    tokens: "Tokens",
    wider: "Look at 90 days",
    export: "Export",
    export_csv: "CSV, for spreadsheets",
    export_jsonl: "JSONL, whole runs",
};
