//! How the run came out of another one, and the ways to have others come out of it.

use leptos::prelude::*;
use serde_json::Value;
use types::compare::{Piece, PieceKind};
use types::replay::{Divergence, Replay, ReplayKind, ReplayOutcome};
use types::run::{Capture, Run};

use crate::component::{
    Form, FormActions, Id, Look, Notice, Place, RunStatusView, TextDiff, TextField, Tone, told_action,
};
use crate::function::{ReexecuteRun, RerunRun};
use crate::text::text;

/// How the run came out of another one, and what it came to.
#[component]
pub(super) fn CameOut(place: Place, run: Run, replay: Replay) -> impl IntoView {
    let texts = &text().replay;
    let (tone, outcome) = match (replay.outcome, &replay.divergence) {
        (Some(ReplayOutcome::Identical), _) => (Tone::Allow, Some(texts.identical.to_owned())),
        (Some(ReplayOutcome::Diverged), Some(divergence)) => (Tone::Ask, Some((texts.diverged)(divergence.seq))),
        _ => (Tone::Neutral, None),
    };
    let recorded = replay.from_seq.filter(|seq| *seq > 1).map(texts.recorded);
    let changed = (!replay.overrides.is_empty()).then(|| (texts.changed)(&replay.overrides.join(", ")));
    let told: Vec<String> =
        [Some((texts.came_out)(replay.kind).to_owned()), recorded, changed, outcome].into_iter().flatten().collect();
    let (source, compare) = (place.at.run(replay.source_run_id), place.at.compare(replay.source_run_id, run.id));
    view! {
        <Notice tone=tone text=told.join(" ")>
            <a class="btn btn--sm" href=source data-testid="source">
                {texts.source}
            </a>
            <a class="btn btn--sm" href=compare>
                {texts.compare}
            </a>
        </Notice>
        {replay
            .divergence
            .map(|divergence| view! { <TextDiff title=texts.difference pieces=pieces(&divergence) /> })}
    }
    .into_any()
}

/// Each member that differs, as it was to be and as it was.
fn pieces(divergence: &Divergence) -> Vec<Piece> {
    let piece = |kind, text: String| Piece { kind, text };
    let told = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "—".to_owned(),
        Some(other) => other.to_string(),
    };
    let (Value::Object(expected), Value::Object(actual)) = (&divergence.expected, &divergence.actual) else {
        return vec![
            piece(PieceKind::Removed, told(Some(&divergence.expected))),
            piece(PieceKind::Same, "\n".to_owned()),
            piece(PieceKind::Added, told(Some(&divergence.actual))),
        ];
    };
    let names = expected.keys().chain(actual.keys().filter(|name| !expected.contains_key(*name)));
    let member = |name: &String| {
        [
            piece(PieceKind::Same, format!("{name}: ")),
            piece(PieceKind::Removed, told(expected.get(name))),
            piece(PieceKind::Same, " ".to_owned()),
            piece(PieceKind::Added, told(actual.get(name))),
            piece(PieceKind::Same, "\n".to_owned()),
        ]
    };
    names.flat_map(member).collect()
}

/// The ways to have another run come out of this one, and those that did.
#[component]
pub(super) fn ReplayOf(place: Place, run: Run, replays: Vec<Run>) -> impl IntoView {
    let texts = &text().replay;
    let (may_retry, may_replay) = (place.may("run.retry"), place.may("run.replay"));
    if !run.status.is_final() || !(may_retry || may_replay || !replays.is_empty()) {
        return ().into_any();
    }
    let ways = if run.capture == Capture::Full {
        view! { <Ways place=place.clone() run=run /> }.into_any()
    } else {
        view! { <p class="muted">{texts.not_kept}</p> }.into_any()
    };
    let at = place.at.clone();
    let row = move |run: Run| {
        view! {
            <li class="row">
                <a class="link" href=at.run(run.id)>
                    <Id id=run.id.to_string() />
                </a>
                {kind(&run).map(|kind| (texts.came_out)(kind))}
                <RunStatusView status=run.status />
            </li>
        }
    };
    let list = (!replays.is_empty()).then(|| {
        view! {
            <h3>{texts.replays}</h3>
            <ul class="stack" data-testid="replays">
                {replays.into_iter().map(row).collect_view()}
            </ul>
        }
    });
    view! {
        <section class="section" id="replay">
            <header class="section-head">
                <h2>{texts.title}</h2>
            </header>
            {ways}
            {list}
        </section>
    }
    .into_any()
}

/// What the marks of a run say of how it came out of another one.
fn kind(run: &Run) -> Option<ReplayKind> {
    let marked = |mark: &str| run.flags.iter().any(|flag| flag == mark);
    let marks = [("rerun", ReplayKind::Rerun), ("reexecuted", ReplayKind::Reexecute), ("forked", ReplayKind::Fork)];
    marks.into_iter().find(|(mark, _)| marked(mark)).map(|(_, kind)| kind)
}

#[component]
fn Ways(place: Place, run: Run) -> impl IntoView {
    let texts = &text().replay;
    let (again, reexecute) = (told_action::<RerunRun>(texts.begun), told_action::<ReexecuteRun>(texts.begun));
    let id = run.id.to_string();
    let rerun = place.may("run.retry").then(|| {
        view! {
            <Form action=again sends=place.sends([("id", id.clone())])>
                <p class="field-hint">{texts.again_text}</p>
                <TextField field="input" label=texts.input hint=texts.input_hint lines=3 optional=true />
                <FormActions label=texts.again look=Look::Plain />
            </Form>
        }
    });
    let others = place.may("run.replay").then(|| {
        view! {
            <Form action=reexecute sends=place.sends([("id", id.clone())])>
                <p class="field-hint">{texts.reexecute_text}</p>
                <FormActions label=texts.reexecute look=Look::Plain />
            </Form>
            <p class="field-hint">{texts.fork_text}</p>
            <a class="btn" href=place.at.fork(run.id) data-testid="fork">
                {texts.fork}
            </a>
        }
    });
    view! {
        <div class="stack">
            {rerun}
            {others}
        </div>
    }
    .into_any()
}
