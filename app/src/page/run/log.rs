//! The stored events of a run, as they were written.

use leptos::prelude::*;
use types::page::Page as Rows;
use types::run::RunEvent;

use crate::component::{Failure, HiddenParams, Icon, IconView, Id, Moment};
use crate::error::AppError;
use crate::format;
use crate::query::Params;
use crate::resource::Resource;
use crate::text::text;

/// The events.
#[component]
pub(super) fn Log(events: Resource<Result<Rows<RunEvent>, AppError>>, params: Memo<Params>) -> impl IntoView {
    view! {
        <Transition>
            {move || Suspend::new(async move {
                match events.await {
                    Ok(events) => view! { <Table events=events params=params /> }.into_any(),
                    Err(error) => view! { <Failure error=error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Table(events: Rows<RunEvent>, params: Memo<Params>) -> impl IntoView {
    let run = &text().run;
    if events.items.is_empty() {
        return view! { <p class="muted">{run.no_events}</p> }.into_any();
    }
    let asked = params.get_untracked().get("q").unwrap_or_default().to_owned();
    let last = events.items.last().map(|event| event.offset).unwrap_or_default();
    let more = events.next_cursor.is_some().then(|| params.get_untracked().with("after", &last.to_string()).here());
    let shown: Vec<RunEvent> = events.items.into_iter().filter(|event| holds(event, &asked)).collect();
    let none = shown.is_empty().then(|| view! { <p class="muted">{run.no_event_matches}</p> });
    let row = |event: RunEvent| {
        let step = event.step_id.map(|id| {
            let href = params.get_untracked().without(&["view", "after"]).with("step", &id.to_string()).here();
            view! {
                <a class="link link--quiet" href=href>
                    <Id id=id.to_string() />
                </a>
            }
        });
        view! {
            <tr>
                <td class="num cell-spare" data-label="#">
                    {event.offset}
                </td>
                <td class="cell-main" data-label=run.event>
                    {event.event_type}
                </td>
                <td data-label=run.step>{step}</td>
                <td class="cell-full" data-label=run.details>
                    <code>{format::sorted_json(&event.payload)}</code>
                </td>
                <td class="num cell-aside" data-label=run.time>
                    <Moment at=event.occurred_at />
                </td>
            </tr>
        }
    };
    view! {
        <Search params=params.get_untracked() asked=asked />
        {none}
        <div class="table-wrap">
            <table class="table table--cards" data-testid="log">
                <caption class="sr-only">{run.view_log}</caption>
                <thead>
                    <tr>
                        <th scope="col" class="num">
                            "#"
                        </th>
                        <th scope="col">{run.event}</th>
                        <th scope="col">{run.step}</th>
                        <th scope="col">{run.details}</th>
                        <th scope="col" class="num">
                            {run.time}
                        </th>
                    </tr>
                </thead>
                <tbody>{shown.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
        {more
            .map(|href| {
                view! {
                    <nav class="pager">
                        <a class="btn btn--sm" rel="next" href=href>
                            {run.more_events}
                        </a>
                    </nav>
                }
            })}
    }
    .into_any()
}

/// Whether an event holds a text, whatever the case: in its name, its details or the id of its step.
fn holds(event: &RunEvent, asked: &str) -> bool {
    let step = event.step_id.map(|id| id.to_string()).unwrap_or_default();
    let asked = asked.to_lowercase();
    [event.event_type.clone(), event.payload.to_string(), step].iter().any(|text| text.to_lowercase().contains(&asked))
}

/// A plain form of the address: it works without scripts.
#[component]
fn Search(params: Params, asked: String) -> impl IntoView {
    let run = &text().run;
    view! {
        <form class="search" role="search" method="get">
            <IconView icon=Icon::Search />
            <HiddenParams params=params.without(&["q"]) />
            <input class="search-input" type="search" name="q" value=asked maxlength="200" aria-label=run.search_log placeholder=run.search_log />
        </form>
    }
    .into_any()
}
