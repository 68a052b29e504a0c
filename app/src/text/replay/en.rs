//! English.

use types::replay::{ReplayKind, ReplayTools};

use super::Replay;

pub(crate) const EN: Replay = Replay {
    again: "Run again",
    again_text: "A new run with the same request, live and charged to you.",
    begun: "The run was begun.",
    came_out: |kind| match kind {
        ReplayKind::Rerun => "Another run, done again.",
        ReplayKind::Reexecute => "Another run, repeated from its record without any effect.",
        ReplayKind::Fork => "Goes on from a step of another run.",
    },
    changed: |fields| format!("Changed: {fields}."),
    compare: "Compare",
    difference: "Expected and actual",
    diverged: |step| format!("Diverged at step {step}."),
    fork: "Replay from step",
    fork_text: "Steps before the one you choose are taken from the record, at no cost. Later model calls are live and charged.",
    from: "From step",
    identical: "Identical: every step was as it is in the record.",
    input: "Input",
    input_hint: "In place of what the user said last. Leave it empty to keep it.",
    model: "Model",
    model_hint: "A name like `model:account:id`. Leave it empty to keep the model.",
    not_kept: "What went into this run was not kept, so it cannot be replayed.",
    of_step: "Repeats step",
    params: "Parameters",
    params_hint: "A JSON object such as {\"temperature\": 0}. null takes a parameter out.",
    prompt: "System prompt",
    prompt_hint: "Leave it empty to keep it.",
    recorded: |step| format!("Steps before step {step} are from its record."),
    reexecute: "Re-execute",
    reexecute_text: "Repeats the run from its record and says whether it comes to the same. Nothing is sent and nothing is charged.",
    replays: "Runs that came out of this one",
    source: "Source",
    title: "Replay",
    tool: |tools| match tools {
        ReplayTools::Simulated => "Simulated: the recorded result, else an invented one",
        ReplayTools::Recorded => "Recorded: the recorded result, else an error",
        ReplayTools::Live => "Live: they are really called",
    },
    tools: "Tool calls",
    tools_hint: "Simulated unless you say otherwise: nothing is done to the world.",
};
