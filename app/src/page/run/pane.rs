//! Everything about one step: what went in and out, why it was allowed, what it cost.

use leptos::prelude::*;
use types::cost::Cost;
use types::run::{Run, Step, StepStatus};

use super::cost::CostLines;
use super::live::{LiveOutput, LiveRun};
use crate::component::{
    Code, ContentView, ErrorNotice, IconView, Id, Moment, StepStatusView, Verdict, step_icon, step_subject,
};
use crate::format;
use crate::text::text;

/// One step.
#[component]
pub(super) fn Pane(run: Run, step: Step, costs: Vec<Cost>, live: LiveRun) -> impl IntoView {
    let text = text();
    let costs: Vec<Cost> = costs.into_iter().filter(|cost| cost.step_id == step.id).collect();
    let capture = run.capture;
    view! {
        <header class="section-head">
            <h2>
                <span class="row">
                    <IconView icon=step_icon(step.step_type) size=20 />
                    {(text.word.step_type)(step.step_type)}
                </span>
            </h2>
            <StepStatusView status=step.status chip=true />
        </header>
        <div class="stack">
            <About step=step.clone() />
            {step.error.clone().map(|error| view! { <ErrorNotice error=error /> })}
            <ContentView title=text.run.input content=step.input.clone() capture=capture run_id=run.id />
            {if step.status == StepStatus::Open {
                view! { <LiveOutput live=live /> }.into_any()
            } else {
                view! { <ContentView title=text.run.output content=step.output.clone() capture=capture run_id=run.id /> }.into_any()
            }}
            <section>
                <h3>{text.run.cost}</h3>
                <CostLines costs=costs />
            </section>
            <section>
                <h3>{text.run.decision}</h3>
                <Decision step=step.clone() />
            </section>
            <Code title=text.run.metrics code=format::sorted_json(&step.metrics) />
            <Trail run=run />
        </div>
    }
    .into_any()
}

#[component]
fn About(step: Step) -> impl IntoView {
    let text = text();
    let row = |label: &'static str, value: AnyView| view! { <dt>{label}</dt> <dd>{value}</dd> };
    let length = |milliseconds: u64| format::duration(milliseconds).into_any();
    view! {
        <dl class="dl">
            {step_subject(&step).map(|subject| row(text.run.model, subject.into_any()))}
            {row(text.run.started, view! { <Moment at=step.started_at /> }.into_any())}
            {step.outbound_at.map(|at| row(text.run.outbound, view! { <Moment at=at /> }.into_any()))}
            {step.ttft_ms.map(|time| row(text.run.first_token, length(time)))}
            {step.latency_ms.map(|time| row(text.run.latency, length(time)))}
            {row(text.run.effect, (text.word.effect)(step.effect).into_any())}
            {(step.attempt_no > 1).then(|| row(text.run.attempt_name, format::count(step.attempt_no.into()).into_any()))}
            {step
                .metrics
                .get("replay_of")
                .and_then(|id| id.as_str())
                .map(|id| row(text.replay.of_step, view! { <Id id=id.to_owned() copy=true /> }.into_any()))}
            {row(text.run.step, view! { <Id id=step.id.to_string() copy=true /> }.into_any())}
        </dl>
    }
    .into_any()
}

/// The gates the step passed, in order, each with the rule that decided.
#[component]
fn Decision(step: Step) -> impl IntoView {
    let texts = &text().run;
    let gates = step.decision.get("gates").and_then(|gates| gates.as_array()).cloned().unwrap_or_default();
    if gates.is_empty() {
        return view! { <p class="muted">{texts.no_decision}</p> }.into_any();
    }
    let text_of = |value: &serde_json::Value, name: &str| {
        value.get(name).and_then(|text| text.as_str()).unwrap_or_default().to_owned()
    };
    let gate = |gate: serde_json::Value| {
        let name = text_of(&gate, "gate");
        let verdict = text_of(&gate, "verdict");
        let known = Verdict::read(&verdict);
        let label = (texts.gate)(&name).map_or_else(|| name.replace('_', " "), str::to_owned);
        // What is no verdict (`not_configured`) is said as it was recorded.
        let recorded = known.is_none().then(|| verdict.replace('_', " "));
        let rule = text_of(&gate, "rule");
        view! {
            <li data-verdict=known.map(Verdict::as_str)>
                <i class="verdict-mark"></i>
                <span class="gate-name">{label} {recorded.map(|word| view! { " " <span class="muted">{word}</span> })}</span>
                <span class="gate-rule" title=rule.clone()>
                    {short_rule(&rule)}
                </span>
            </li>
        }
    };
    let policy = text_of(&step.decision, "policy_revision");
    view! {
        <ol class="gates" data-testid="gates">
            {gates.into_iter().map(gate).collect_view()}
        </ol>
        <dl class="dl">
            <dt>{texts.policy}</dt>
            <dd>
                <Id id=policy />
            </dd>
        </dl>
    }
    .into_any()
}

/// A rule with its ids shortened: `budget:bdg_01jz8k…004f:month`.
fn short_rule(rule: &str) -> String {
    let part = |part: &str| if part.contains('_') { format::short_id(part) } else { part.to_owned() };
    rule.split(':').map(part).collect::<Vec<_>>().join(":")
}

/// The ids that lead out of soit: trace and request.
#[component]
fn Trail(run: Run) -> impl IntoView {
    let texts = &text().run;
    view! {
        <dl class="dl">
            <dt>{texts.trace}</dt>
            <dd>
                <Id id=run.trace_id copy=true />
            </dd>
            {run
                .request_id
                .map(|id| {
                    view! {
                        <dt>{texts.request}</dt>
                        <dd>
                            <Id id=id.to_string() copy=true />
                        </dd>
                    }
                })}
            {(!run.flags.is_empty())
                .then(|| {
                    view! {
                        <dt>{texts.flags}</dt>
                        <dd>{run.flags.join(", ")}</dd>
                    }
                })}
        </dl>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::short_rule;

    #[test]
    fn a_rule_keeps_its_kind_and_the_ends_of_its_id() {
        for (rule, short) in [
            ("budget:bdg_01jz8k0000000000000000004f", "budget:bdg_01jz8k…004f"),
            ("budget:bdg_01jz8k0000000000000000004f:month", "budget:bdg_01jz8k…004f:month"),
            ("egr_01jz8k0000000000000000004f", "egr_01jz8k…004f"),
            ("model:test:tokens-400", "model:test:tokens-400"),
            ("model.call", "model.call"),
        ] {
            assert_eq!(short_rule(rule), short);
        }
    }
}
