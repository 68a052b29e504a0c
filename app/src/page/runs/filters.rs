//! What narrows the runs list.

use leptos::prelude::*;
use types::run::{Entry, Mode, RunStatus};

use crate::backend::runs::Choices;
use crate::component::{Choice, Facet, FilterBar, HiddenParams, Icon, IconView, RangePicker};
use crate::query::{Params, RUN_FILTERS, RunColumn, RunsQuery, Span};
use crate::text::text;

/// The row of filters.
#[component]
pub(super) fn Filters(path: String, params: Params, query: RunsQuery, choices: Choices) -> impl IntoView {
    let text = text();
    let facets = vec![
        Facet {
            name: "f.status",
            label: text.common.status,
            options: RunStatus::ALL
                .iter()
                .map(|status| Choice::new(status.as_str(), (text.word.run_status)(*status)))
                .collect(),
        },
        Facet {
            name: "f.model",
            label: text.runs.model,
            options: choices.models.iter().map(|model| Choice::new(model, model)).collect(),
        },
        Facet {
            name: "f.key",
            label: text.runs.key,
            options: choices.keys.iter().map(|(id, name)| Choice::new(&id.to_string(), name)).collect(),
        },
        Facet {
            name: "f.mode",
            label: text.runs.mode,
            options: Mode::ALL.iter().map(|mode| Choice::new(mode.as_str(), (text.word.mode)(*mode))).collect(),
        },
        Facet {
            name: "f.entry",
            label: text.runs.entry,
            options: Entry::ALL.iter().map(|entry| Choice::new(entry.as_str(), (text.word.entry)(*entry))).collect(),
        },
    ];
    let search =
        view! { <Search path=path.clone() params=params.clone() query=query.query.filter.q.unwrap_or_default() /> };
    let range = view! { <RangePicker path=path.clone() params=params.clone() range=query.range spans=&Span::ALL /> };
    view! { <FilterBar path=path params=params facets=facets names=RUN_FILTERS start=search.into_any() end=range.into_any() /> }.into_any()
}

/// Which columns the list has.
#[component]
pub(super) fn Columns(path: String, params: Params, shown: Vec<RunColumn>) -> impl IntoView {
    let item = |column: RunColumn| {
        let chosen = shown.contains(&column);
        let href = column.toggled(&shown, params.clone()).at(&path);
        view! {
            <a class="menu-item" href=href aria-current=chosen.then_some("true") data-noscroll="">
                {column_name(column)}
            </a>
        }
    };
    view! {
        <details class="menu menu--end" name="menu" data-testid="columns">
            <summary class="btn">
                <IconView icon=Icon::Columns />
                {text().runs.columns}
            </summary>
            <div class="menu-panel">{RunColumn::ALL.map(item).collect_view()}</div>
        </details>
    }
    .into_any()
}

/// What a column is called.
pub(super) fn column_name(column: RunColumn) -> &'static str {
    let runs = &text().runs;
    match column {
        RunColumn::Model => runs.model,
        RunColumn::Key => runs.key,
        RunColumn::Mode => runs.mode,
        RunColumn::Entry => runs.entry,
        RunColumn::Tokens => runs.tokens,
        RunColumn::Cost => runs.cost,
        RunColumn::Duration => runs.duration,
        RunColumn::Started => runs.started,
    }
}

/// Search in the text of runs; the other filters travel along unseen.
#[component]
fn Search(path: String, params: Params, query: String) -> impl IntoView {
    let runs = &text().runs;
    let others = params.without(&["q", "after", "peek"]);
    view! {
        <form class="search" role="search" method="get" action=path>
            <IconView icon=Icon::Search />
            <HiddenParams params=others />
            <input
                class="search-input"
                type="search"
                name="q"
                value=query
                minlength="3"
                maxlength="200"
                aria-label=runs.search_hint
                placeholder=runs.search_hint
                data-shortcut="/"
            />
        </form>
    }
    .into_any()
}
