//! Stepping through a run: its events one by one, how the run stood after each, and what went in or out. Nothing is executed.

use leptos::prelude::*;
use types::id::StepId;
use types::replay::{Moment as Past, RunState, Timeline};
use types::run::{Run, Step};

use crate::component::{
    Code, ContentView, Empty, Failure, Icon, IconView, Moment, MoneyList, Notice, RunStatusView, Tone,
};
use crate::error::AppError;
use crate::format;
use crate::query::Params;
use crate::resource::Resource;
use crate::text::text;

/// The events, and the one the reader stands at.
#[component]
pub(super) fn Inspect(
    timeline: Resource<Result<Option<Timeline>, AppError>>,
    run: Run,
    steps: Vec<Step>,
    params: Memo<Params>,
) -> impl IntoView {
    view! {
        <Transition>
            {move || {
                let (run, steps) = (run.clone(), steps.clone());
                Suspend::new(async move {
                    match timeline.await {
                        Ok(Some(timeline)) => {
                            view! { <Shown timeline=timeline run=run steps=steps params=params.get() /> }.into_any()
                        }
                        Ok(None) => ().into_any(),
                        Err(error) => view! { <Failure error=error /> }.into_any(),
                    }
                })
            }}
        </Transition>
    }
    .into_any()
}

#[component]
fn Shown(timeline: Timeline, run: Run, steps: Vec<Step>, params: Params) -> impl IntoView {
    let (text, texts) = (text(), &text().replay);
    let Timeline { items, next_after, .. } = timeline;
    let asked = params.get("at").map(|at| at.parse::<u64>().ok());
    let index = match asked {
        None => Some(0),
        Some(at) => at.and_then(|at| items.iter().position(|past| past.event.offset == at)),
    };
    let Some(first) = items.first() else {
        return view! { <Empty icon=Icon::List title=text.run.no_events text=texts.inspect_text /> }.into_any();
    };
    let first = first.event.offset;
    let here = params.without(&["step"]);
    let at = |offset: u64| here.clone().with("at", &offset.to_string()).here();
    let later = next_after.map(|after| here.clone().without(&["at"]).with("after", &after.to_string()).here());
    let near = |index: Option<usize>| index.and_then(|index| items.get(index)).map(|past| at(past.event.offset));
    let previous = near(index.and_then(|index| index.checked_sub(1)));
    let next = near(index.map(|index| index + 1)).or_else(|| index.and(later.clone()));
    let step = |href: Option<String>, key: &'static str, icon: Icon, label: &'static str| {
        view! {
            <a
                class="btn btn--sm"
                href=href.clone()
                aria-disabled=href.is_none().then_some("true")
                data-shortcut=key
                data-noscroll=""
            >
                <IconView icon=icon />
                {label}
            </a>
        }
    };
    let ways = view! {
        <div class="row">
            {step(previous, "k", Icon::ChevronUp, texts.earlier)}
            {step(next, "j", Icon::ChevronDown, texts.later)}
        </div>
    };
    let present = index.and_then(|index| items.get(index)).cloned();
    let selected = present.as_ref().map(|past| past.event.offset);
    let row = |past: &Past| {
        let offset = past.event.offset;
        view! {
            <tr>
                <td class="num cell-spare" data-label="#">
                    {offset}
                </td>
                <td class="cell-main" data-label=text.run.event>
                    <a class="link" href=at(offset) aria-current=(selected == Some(offset)).then_some("true") data-noscroll="">
                        {past.event.event_type.clone()}
                    </a>
                </td>
            </tr>
        }
    };
    let rows = items.iter().map(row).collect_view();
    let before = (first > 1).then(|| {
        view! {
            <a class="btn btn--sm" rel="first" href=here.clone().without(&["at", "after"]).here()>
                {texts.from_start}
            </a>
        }
    });
    let more = later.map(|href| {
        view! {
            <a class="btn btn--sm" rel="next" href=href>
                {text.run.more_events}
            </a>
        }
    });
    view! {
        <p class="field-hint">{texts.inspect_text}</p>
        <div class="split" data-testid="inspect">
            <div class="split-main">
                <table class="table">
                    <caption class="sr-only">{texts.inspect}</caption>
                    <thead>
                        <tr>
                            <th scope="col" class="num">
                                "#"
                            </th>
                            <th scope="col">{text.run.event}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
                <nav class="pager">{before} {more}</nav>
            </div>
            <aside class="split-pane" aria-label=text.run.event data-testid="moment">
                {ways}
                {match present {
                    Some(past) => view! { <At past=past run=run steps=steps /> }.into_any(),
                    None => view! { <Notice tone=Tone::Ask text=texts.no_moment /> }.into_any(),
                }}
            </aside>
        </div>
    }
    .into_any()
}

/// One event: how the run stood after it, and what went in or came out.
#[component]
fn At(past: Past, run: Run, steps: Vec<Step>) -> impl IntoView {
    let text = text();
    let Past { event, state } = past;
    let (capture, run_id) = (run.capture, run.id);
    let of = |id: StepId| steps.iter().find(|step| step.id == id).cloned();
    let content = match event.event_type.as_str() {
        "run.started" => Some((text.run.input, run.input)),
        "run.finished" => Some((text.run.output, run.output)),
        "step.opened" => event.step_id.and_then(of).map(|step| (text.run.input, step.input)),
        "step.closed" => event.step_id.and_then(of).map(|step| (text.run.output, step.output)),
        _ => None,
    };
    let content = content.map(|(title, content)| {
        view! { <ContentView title=title content=content capture=capture run_id=run_id /> }
    });
    view! {
        <div class="stack">
            <h2>{event.event_type}</h2>
            <Moment at=event.occurred_at />
            <h3>{text.replay.stood}</h3>
            <Stood state=state />
            {content}
            <Code title=text.run.details code=format::sorted_json(&event.payload) />
        </div>
    }
    .into_any()
}

#[component]
fn Stood(state: RunState) -> impl IntoView {
    let text = text();
    let open = u64::try_from(state.open_steps.len()).unwrap_or(u64::MAX);
    view! {
        <dl class="dl">
            <dt>{text.common.status}</dt>
            <dd>
                <RunStatusView status=state.status />
            </dd>
            <dt>{text.run.steps}</dt>
            <dd>{(text.replay.steps)(&format::count(state.steps.into()), &format::count(open))}</dd>
            <dt>{text.run.tokens}</dt>
            <dd>{format::count(state.usage.tokens())}</dd>
            <dt>{text.run.cost}</dt>
            <dd>
                <MoneyList amounts=state.cost unpriced=state.unpriced.into() />
            </dd>
        </dl>
    }
    .into_any()
}
