//! What narrows the runs list.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use leptos::prelude::*;
use types::feedback::Rating;
use types::id::ApiKeyId;
use types::run::{Entry, Mode, RunFacets, RunStatus};

use crate::backend::runs::Choices;
use crate::component::{Choice, Facet, FilterBar, HiddenParams, Icon, IconView, RangePicker};
use crate::format;
use crate::query::{Params, RUN_FILTERS, RunColumn, RunsQuery, Span};
use crate::text::text;

/// The row of filters.
#[component]
pub(super) fn Filters(
    path: String,
    params: Params,
    query: RunsQuery,
    choices: Choices,
    callers: Vec<Choice>,
) -> impl IntoView {
    let text = text();
    let facets = choices.facets.as_ref();
    let status = |status: &RunStatus| {
        let count = count(facets, |facets| &facets.status, status);
        Choice::new(status.as_str(), (text.word.run_status)(*status)).counted(count)
    };
    let mode = |mode: &Mode| {
        let count = count(facets, |facets| &facets.mode, mode);
        Choice::new(mode.as_str(), (text.word.mode)(*mode)).counted(count)
    };
    let entry = |entry: &Entry| {
        let count = count(facets, |facets| &facets.entry, entry);
        Choice::new(entry.as_str(), (text.word.entry)(*entry)).counted(count)
    };
    let rating = |rating: &Rating| {
        let name = match rating {
            Rating::Up => text.compare.up,
            Rating::Down => text.compare.down,
        };
        Choice::new(rating.as_str(), name)
    };
    let sandbox =
        [("false", text.runs.live), ("true", text.runs.rehearsal)].map(|(word, name)| Choice::new(word, name));
    let facet = |name, label, options| Facet { name, label, options };
    let facets = vec![
        facet("f.status", text.common.status, RunStatus::ALL.iter().map(status).collect()),
        facet("f.model", text.runs.model, models(facets)),
        facet("f.key", text.runs.key, keys(&choices.keys, facets)),
        facet("f.caller", text.run.caller, callers),
        facet("f.mode", text.runs.mode, Mode::ALL.iter().map(mode).collect()),
        facet("f.entry", text.runs.entry, Entry::ALL.iter().map(entry).collect()),
        facet("f.feedback", text.compare.feedback, Rating::ALL.iter().map(rating).collect()),
        facet("f.sandbox", text.runs.sandbox, sandbox.into()),
    ];
    let search =
        view! { <Search path=path.clone() params=params.clone() query=query.query.filter.q.unwrap_or_default() /> };
    let range = view! { <RangePicker path=path.clone() params=params.clone() range=query.range spans=&Span::ALL /> };
    view! { <FilterBar path=path params=params facets=facets names=RUN_FILTERS start=search.into_any() end=range.into_any() /> }.into_any()
}

/// The models that were called, those with the most runs first, but for those that no address can say.
fn models(facets: Option<&RunFacets>) -> Vec<Choice> {
    let mut models: Vec<(&String, &u64)> = facets.iter().flat_map(|facets| &facets.model_ref).collect();
    models.retain(|(model, _)| !model.contains(',') && !model.starts_with('!'));
    models.sort_by_key(|(_, runs)| Reverse(*runs));
    let choice = |(model, _): (&String, &u64)| {
        Choice::new(model, model).counted(count(facets, |facets| &facets.model_ref, model))
    };
    models.into_iter().map(choice).collect()
}

/// The keys of the workspace, then those that have runs and are gone.
fn keys(known: &[(ApiKeyId, String)], facets: Option<&RunFacets>) -> Vec<Choice> {
    let choice = |id: &ApiKeyId, name: &str| {
        Choice::new(&id.to_string(), name).counted(count(facets, |facets| &facets.api_key_id, id))
    };
    let used = facets.iter().flat_map(|facets| facets.api_key_id.keys());
    let gone = used.filter(|id| known.iter().all(|(known, _)| known != *id));
    let known = known.iter().map(|(id, name)| choice(id, name));
    known.chain(gone.map(|id| choice(id, &format::short_id(&id.to_string())))).collect()
}

/// How many runs a choice would show; nothing where that is not known.
fn count<T: Ord>(
    facets: Option<&RunFacets>,
    of: impl Fn(&RunFacets) -> &BTreeMap<T, u64>,
    choice: &T,
) -> Option<String> {
    let facets = facets?;
    match of(facets).get(choice) {
        Some(runs) if facets.is_lower_bound => Some((text().runs.at_least_short)(&format::count(*runs))),
        Some(runs) => Some(format::count(*runs)),
        None => (!facets.is_lower_bound).then(|| format::count(0)),
    }
}

/// Which columns the list has.
#[component]
pub(super) fn Columns(path: String, params: Params, shown: Vec<RunColumn>) -> impl IntoView {
    let runs = &text().runs;
    let item = |column: RunColumn| {
        let chosen = shown.contains(&column);
        let href = column.toggled(&shown, params.clone()).at(&path);
        let name = column_name(column);
        let step = |later: bool, icon: Icon, label: fn(&str) -> String| {
            let href = column.moved(&shown, later, params.clone()).map(|params| params.at(&path));
            view! {
                <a class="menu-item menu-not" href=href.clone() aria-disabled=href.is_none().then_some("true") data-noscroll="" aria-label=label(name)>
                    <IconView icon=icon />
                </a>
            }
        };
        let steps = chosen
            .then(|| (step(false, Icon::ArrowUp, runs.move_earlier), step(true, Icon::ArrowDown, runs.move_later)));
        view! {
            <div class="menu-choice">
                <a class="menu-item" href=href aria-current=chosen.then_some("true") data-noscroll="">
                    {name}
                </a>
                {steps}
            </div>
        }
    };
    // Those that are shown first, in their order.
    let others = RunColumn::ALL.into_iter().filter(|column| !shown.contains(column));
    let items = shown.iter().copied().chain(others).map(item).collect_view();
    view! {
        <details class="menu menu--end" name="menu" data-testid="columns">
            <summary class="btn">
                <IconView icon=Icon::Columns />
                {runs.columns}
            </summary>
            <div class="menu-panel">{items}</div>
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
