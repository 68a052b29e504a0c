//! English.

use super::Runs;

pub(crate) const EN: Runs = Runs {
    live: "Live",
    rehearsal: "In the sandbox",
    sandbox: "Sandbox",
    all: "All",
    all_matching: |count| format!("All {count} matching"),
    at_least: |count| format!("more than {count}"),
    at_least_short: |count| format!("{count}+"),
    cancel_meaning: "Each ends as canceled as soon as its present call can be cut. What it has used so far is charged. Runs that are over stay as they are.",
    cancel_question: |runs| format!("Cancel {runs}?"),
    cancel_runs: "Cancel runs",
    cancel_selected: "Cancel…",
    clear_selection: "Clear selection",
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
    keep_running: "Let them go on",
    move_earlier: |column| format!("Move {column} forward"),
    move_later: |column| format!("Move {column} back"),
    select: |run| format!("Select {run}"),
    select_page: "Select every run on this page",
    selected: |count| format!("{count} selected"),
    so_many: |count, is_one| if is_one { "1 run".to_owned() } else { format!("{count} runs") },
    told_canceled: |told| {
        let count = crate::format::count;
        let asked = match told.canceling {
            1 => "1 run is asked to end".to_owned(),
            asked => format!("{} runs are asked to end", count(asked)),
        };
        let refused = match told.refused {
            0 => String::new(),
            refused => format!(", {} belong to others", count(refused)),
        };
        format!("{asked}{refused}")
    },
    export_meaning: "The file holds what the list shows of them, and more. It is recorded in the audit that you took it.",
    export_question: |runs| format!("Export {runs}"),
    export_selected: "Export…",
    export: "Export",
    export_csv: "CSV, for spreadsheets",
    export_jsonl: "JSONL, whole records",
};
