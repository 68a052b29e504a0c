//! English.

use super::Home;

pub(crate) const EN: Home = Home {
    active: "Running",
    active_note: "right now",
    all_runs: "All runs",
    bucket: |start, runs, failed, refused| {
        let noun = if runs == 1 { "run" } else { "runs" };
        format!("{start}: {runs} {noun}, {failed} failed, {refused} refused")
    },
    bucket_start: "From",
    chart: |runs, high, last| {
        format!("Runs by outcome: {runs} in all, {high} in the busiest interval, {last} in the present one")
    },
    failure_rate: "Failure rate",
    failed_runs: |count| format!("{count} failed or refused"),
    figures: "Figures",
    first_call: "First call",
    first_call_text: "The built-in model answers without any provider or network. Each call appears under Runs while it happens.",
    first_steps: "First steps",
    first_steps_text: "Each one ticks itself off.",
    median: |p50| format!("median {p50}"),
    no_ended_runs: "No run has ended in this range",
    nothing_running: "Nothing is running",
    nothing_running_text: "A call appears here while it happens.",
    outcomes: "Outcomes",
    p95: "95th percentile",
    refused: "Refused",
    refused_note: "before any effect",
    running_now: "Running now",
    runs: "Runs",
    series: ["Succeeded", "Failed", "Refused", "Running"],
    setup_budget: ["Set a budget", "A hard stop that no call gets past, however many run at once."],
    setup_key: ["Create an API key", "Clients sign their calls with it. It is shown once."],
    setup_provider: [
        "Add a provider",
        "Any OpenAI-compatible server: a base URL and its credential. Not needed for the built-in model.",
    ],
    setup_run: ["Make the first call", "Paste it from below; nothing else to install for curl."],
    spend: "Spend",
    title: "Home",
    versus: |span| format!("vs previous {span}"),
    at_most: "Counted by classes, each a third wider than the one before: at most this",
};
