//! The steps of a run: one row each, with its place in time, its cost and how long it took.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use types::cost::Cost;
use types::id::StepId;
use types::money::Money;
use types::run::{Step, StepStatus, StepType};

use super::order::critical;
use super::{Icon, IconView, MoneyList};
use crate::format;
use crate::text::text;

/// The icon of a kind of step.
pub(crate) const fn step_icon(kind: StepType) -> Icon {
    match kind {
        StepType::ModelCall | StepType::Image | StepType::Embedding | StepType::Rerank => Icon::Models,
        StepType::Retrieval | StepType::Memory => Icon::Knowledge,
        StepType::ToolCall => Icon::Tools,
        StepType::WorkflowNode => Icon::Workflows,
        StepType::Compensation => Icon::Undo,
        StepType::AgentTurn => Icon::Agents,
        StepType::Approval => Icon::Approvals,
        StepType::Safety | StepType::Verify => Icon::Shield,
        StepType::Message | StepType::Io => Icon::Chat,
        StepType::Wait => Icon::Wait,
    }
}

/// What a step was about, in a word: the model it called.
pub(crate) fn step_subject(step: &Step) -> Option<String> {
    let text = |name: &str| step.metrics.get(name)?.as_str().map(str::to_owned);
    text("model_ref").or_else(|| text("target_ref")).or_else(|| text("upstream_model"))
}

/// What the rows of a step cost, one entry a currency, and how many of them are unpriced or estimated.
pub(crate) fn step_cost(costs: &[Cost], step: StepId) -> (Vec<Money>, u64, bool) {
    let mut sums: BTreeMap<_, types::money::Amount> = BTreeMap::new();
    let (mut unpriced, mut estimated) = (0, false);
    for cost in costs.iter().filter(|cost| cost.step_id == step) {
        estimated |= cost.pricing_status == types::cost::PricingStatus::Estimated;
        match (cost.currency, cost.amount) {
            (Some(currency), Some(amount)) => {
                let sum = sums.entry(currency).or_default();
                *sum = sum.checked_add(amount).unwrap_or(*sum);
            }
            _ => unpriced += 1,
        }
    }
    (sums.into_iter().map(|(currency, amount)| Money { currency, amount }).collect(), unpriced, estimated)
}

/// Where a step lies in its run, in tenths of a percent.
fn place(step: &Step, start: DateTime<Utc>, end: DateTime<Utc>) -> (u64, u64) {
    let whole = (end - start).num_milliseconds().max(1);
    let tenths = |at: DateTime<Utc>| {
        u64::try_from((at - start).num_milliseconds().clamp(0, whole) * 1000 / whole).unwrap_or_default()
    };
    let (from, to) = (tenths(step.started_at), tenths(step.ended_at.unwrap_or(end)));
    (from, to.saturating_sub(from))
}

/// How deep each step lies under others.
fn depths(steps: &[Step]) -> BTreeMap<StepId, u32> {
    let mut depths = BTreeMap::new();
    // A parent is opened before its children, so it stands before them.
    for step in steps {
        let depth = step.parent_step_id.and_then(|parent| depths.get(&parent)).map_or(0, |depth: &u32| depth + 1);
        depths.insert(step.id, depth);
    }
    depths
}

/// What a step is: its state, its kind, what it was about, and which attempt it was.
#[component]
pub(crate) fn StepTitle(
    /// The step.
    step: Step,
) -> impl IntoView {
    let texts = text();
    let note = step_subject(&step);
    let attempt = (step.attempt_no > 1).then(|| (texts.run.attempt)(step.attempt_no));
    view! {
        <span class="step-mark status" data-state=step.status.as_str()>
            <i class="status-mark"></i>
            <span class="sr-only">{(texts.word.step_status)(step.status)}</span>
        </span>
        <span class="step-name">
            <IconView icon=step_icon(step.step_type) />
            <span class="truncate">{(texts.word.step_type)(step.step_type)}</span>
            {note.map(|note| view! { <span class="step-note">{note}</span> })}
            {attempt.map(|attempt| view! { <span class="chip">{attempt}</span> })}
        </span>
    }
}

/// The steps of a run.
#[component]
pub(crate) fn StepTree(
    /// The steps, by sequence.
    steps: Vec<Step>,
    /// The run's cost rows.
    costs: Vec<Cost>,
    /// Start and present end of the run.
    span: (DateTime<Utc>, DateTime<Utc>),
    /// The step in the pane.
    selected: Option<StepId>,
    /// The page with a step selected.
    href: impl Fn(StepId) -> String + Send + Sync + 'static,
    /// Without their order under each other: by time alone, with what the run waited for.
    #[prop(optional)]
    flat: bool,
) -> impl IntoView {
    let texts = text();
    let depths = if flat { BTreeMap::new() } else { depths(&steps) };
    let (start, end) = span;
    let critical = if flat { critical(&steps, end) } else { BTreeSet::new() };
    let length = u64::try_from((end - start).num_milliseconds()).unwrap_or_default();
    let neighbours: Vec<StepId> = steps.iter().map(|step| step.id).collect();
    let current = selected.and_then(|id| neighbours.iter().position(|step| *step == id));
    let shortcut = |index: usize| match current {
        Some(current) if index == current + 1 => Some("j"),
        Some(current) if index + 1 == current => Some("k"),
        None if index == 0 => Some("j"),
        _ => None,
    };
    let row = |(index, step): (usize, Step)| {
        let (from, size) = place(&step, start, end);
        let style = format!("--from: {}.{}; --size: {}.{}", from / 10, from % 10, size / 10, size % 10);
        let (amounts, unpriced, estimated) = step_cost(&costs, step.id);
        let is_critical = critical.contains(&step.id);
        let took = step.latency_ms.map(format::duration);
        view! {
            <li>
                <a
                    class="step"
                    href=href(step.id)
                    aria-current=(selected == Some(step.id)).then_some("true")
                    style=format!("--depth: {}", depths.get(&step.id).copied().unwrap_or_default())
                    data-shortcut=shortcut(index)
                    data-noscroll=""
                    data-testid="step"
                    data-state=step.status.as_str()
                    data-critical=is_critical.then_some("")
                >
                    <StepTitle step=step.clone() />
                    {is_critical.then(|| view! { <span class="sr-only">{texts.run.on_critical_path}</span> })}
                    <span class="span" aria-hidden="true">
                        <i class="span-bar" data-state=step.status.as_str() style=style></i>
                    </span>
                    <span class="num">
                        <MoneyList amounts=amounts unpriced=unpriced estimated=estimated />
                    </span>
                    <span class="num">
                        {match took {
                            Some(took) => took.into_any(),
                            None if step.status == StepStatus::Open => view! { <super::Elapsed since=step.started_at /> }.into_any(),
                            None => view! { <span class="none">"—"</span> }.into_any(),
                        }}
                    </span>
                </a>
            </li>
        }
    };
    let told = flat.then(|| view! { <p class="muted">{texts.run.critical_path}</p> });
    view! {
        {told}
        <div class="tree-axis" aria-hidden="true">
            <span class="span-axis">
                <span>{format::duration(0)}</span>
                <span>{format::duration(length / 2)}</span>
                <span>{format::duration(length)}</span>
            </span>
        </div>
        <ol class="tree" aria-label=texts.run.steps data-testid="tree">
            {steps.into_iter().enumerate().map(row).collect_view()}
        </ol>
    }
    .into_any()
}
