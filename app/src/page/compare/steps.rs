//! The steps of both runs, those that belong together in one row, with what differs in them.

use leptos::prelude::*;
use types::compare::{ComparedStep, Comparison, StepChange};
use types::run::{Run, Step};

use super::signed;
use crate::component::{StepStatusView, TextDiff, step_subject};
use crate::route::At;
use crate::text::text;

/// The steps of both runs.
#[component]
pub(super) fn Steps(at: At, comparison: Comparison) -> impl IntoView {
    let text = text();
    let Comparison { a, b, steps, .. } = comparison;
    if steps.is_empty() {
        return view! { <p class="muted">{text.compare.no_steps}</p> }.into_any();
    }
    let row = |step: ComparedStep| view! { <Row at=at.clone() a=a.clone() b=b.clone() step=step /> };
    view! {
        <section class="section">
            <header class="section-head">
                <h2>{text.compare.steps}</h2>
            </header>
            <div class="table-wrap">
                <table class="table table--cards" data-testid="compared-steps">
                    <caption class="sr-only">{text.compare.steps}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{text.run.step}</th>
                            <th scope="col">{text.compare.first}</th>
                            <th scope="col">{text.compare.second}</th>
                            <th scope="col">{text.compare.changes}</th>
                            <th scope="col" class="num">
                                {text.compare.time}
                            </th>
                            <th scope="col" class="num">
                                {text.run.tokens}
                            </th>
                            <th scope="col" class="num">
                                {text.run.cost}
                            </th>
                        </tr>
                    </thead>
                    <tbody>{steps.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Row(at: At, a: Run, b: Run, step: ComparedStep) -> impl IntoView {
    let text = text();
    let ComparedStep { a: left, b: right, changes, delta, input, output } = step;
    let state = if changes.is_empty() { "same" } else { "changed" };
    let name = left.as_ref().or(right.as_ref()).map(|step| (text.word.step_type)(step.step_type));
    let chip = |change: StepChange| view! { <span class="chip">{(text.compare.change)(change)}</span> };
    let texts = [(text.run.input, input), (text.run.output, output)];
    let texts = texts.into_iter().filter_map(|(title, pieces)| Some((title, pieces?)));
    let diffs = texts.map(|(title, pieces)| view! { <TextDiff title=title pieces=pieces /> }).collect_view();
    let said = if changes.is_empty() {
        view! { <span class="muted">{text.compare.same}</span> }.into_any()
    } else {
        view! { <span class="row">{changes.into_iter().map(chip).collect_view()}</span> }.into_any()
    };
    view! {
        <tr data-testid="compared-step" data-state=state>
            <td data-label=text.run.step class="cell-main">
                {name}
            </td>
            <td data-label=text.compare.first>
                <Side href=at.run(a.id) step=left />
            </td>
            <td data-label=text.compare.second>
                <Side href=at.run(b.id) step=right />
            </td>
            <td data-label=text.compare.changes class="cell-full">
                {said}
                {diffs}
            </td>
            <td data-label=text.compare.time class="num">
                {signed::duration(&delta)}
            </td>
            <td data-label=text.run.tokens class="num">
                {signed::tokens(&delta)}
            </td>
            <td data-label=text.run.cost class="num">
                {signed::cost(&delta)}
            </td>
        </tr>
    }
    .into_any()
}

/// A step of one of the runs; a dash where it has none there.
#[component]
fn Side(href: String, step: Option<Step>) -> impl IntoView {
    let Some(step) = step else { return view! { <span class="none">"—"</span> }.into_any() };
    let href = crate::query::Params::default().with("step", &step.id.to_string()).at(&href);
    view! {
        <a class="link" href=href>
            <StepStatusView status=step.status />
        </a>
        {step_subject(&step).map(|subject| view! { <span class="step-note">" " {subject}</span> })}
    }
    .into_any()
}
