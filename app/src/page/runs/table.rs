//! The rows of the runs list.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use types::run::{Run, RunSort};

use super::LiveRows;
use super::filters::column_name;
use super::selection::{PageBox, RowBox, Selection};
use crate::backend::runs::RunList;
use crate::component::{Cost, Moment, PeekCell, RunDuration, RunStatusView, peek_of, peeked};
use crate::format;
use crate::query::{PASSING, Params, RunColumn, RunsQuery};
use crate::route::At;
use crate::text::text;

/// The rows, each with a box to tick where something can be done to those that are.
#[component]
pub(super) fn Table(
    at: At,
    list: RunList,
    query: RunsQuery,
    params: Memo<Params>,
    rows: LiveRows,
    ticks: Option<Selection>,
) -> impl IntoView {
    let text = text();
    let RunsQuery { query, columns, .. } = query;
    let sort = move |by: RunSort, label: &'static str| {
        let here = query.sort == by;
        let direction = here.then_some(if query.descending { "descending" } else { "ascending" });
        // Where it is sorted by already, the other way round.
        let word = if here && query.descending { by.as_str().to_owned() } else { format!("-{by}") };
        let href = params.get_untracked().without(&["after"]).without(PASSING).with("sort", &word);
        view! {
            <th scope="col" class="num" aria-sort=direction>
                <a class="sort" href=href.here()>
                    {label}
                </a>
            </th>
        }
    };
    let head = |column: &RunColumn| {
        let label = column_name(*column);
        match column {
            RunColumn::Duration => sort(RunSort::DurationMs, label).into_any(),
            RunColumn::Started => sort(RunSort::StartedAt, label).into_any(),
            _ => view! {
                <th scope="col" class=class(*column) data-priority=priority(*column)>
                    {label}
                </th>
            }
            .into_any(),
        }
    };
    let heads = columns.iter().map(head).collect_view();
    let names = Arc::new(list.names);
    let columns = Arc::new(columns);
    let row = |(index, run): (usize, Run)| {
        view! { <Row at=at.clone() run=run first=index == 0 names=names.clone() columns=columns.clone() params=params rows=rows ticks=ticks /> }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="runs">
                <caption class="sr-only">{text.runs.title}</caption>
                <thead>
                    <tr>
                        {ticks.map(|ticks| view! { <PageBox selection=ticks /> })}
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.runs.run}</th>
                        {heads}
                        <th scope="col">
                            <span class="sr-only">{text.runs.peek}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{list.page.items.into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// One run. What changes in it is drawn anew in place.
#[component]
fn Row(
    at: At,
    run: Run,
    first: bool,
    names: Arc<BTreeMap<String, String>>,
    columns: Arc<Vec<RunColumn>>,
    params: Memo<Params>,
    rows: LiveRows,
    ticks: Option<Selection>,
) -> impl IntoView {
    let text = text();
    let id = run.id.to_string();
    let tick = ticks.map(|ticks| view! { <RowBox selection=ticks id=id.clone() /> });
    let is_ticked = {
        let id = id.clone();
        move || ticks.is_some_and(|ticks| ticks.has(&id)).then_some("")
    };
    let peek = peek_of(id.clone(), params, &[]);
    let current = peeked(id.clone(), params);
    let href = at.run(&id);
    let latest = Memo::new(move |_| rows.latest(&run));
    let cells = move || {
        let run = latest.get();
        columns.iter().map(|column| cell(*column, &run, format::caller(&run, &names))).collect_view()
    };
    view! {
        <tr aria-current=current data-selected=is_ticked data-testid="run" data-state=move || latest.with(|run| run.status.as_str())>
            {tick}
            <td data-label=text.common.status>
                {move || view! { <RunStatusView status=latest.with(|run| run.status) /> }}
            </td>
            <td data-label=text.runs.run class="cell-main">
                <a class="row-link" href=href>
                    <code class="id" title=id.clone()>
                        {format::short_id(&id)}
                    </code>
                </a>
            </td>
            {cells}
            <PeekCell href=peek first=first params=params />
        </tr>
    }
    .into_any()
}

/// What a column says of a run.
fn cell(column: RunColumn, run: &Run, owner: String) -> AnyView {
    let words = &text().word;
    let content = match column {
        RunColumn::Model => {
            run.model_ref.clone().map_or_else(|| view! { <span class="none">"—"</span> }.into_any(), IntoAny::into_any)
        }
        RunColumn::Key => owner.into_any(),
        RunColumn::Mode => (words.mode)(run.mode).into_any(),
        RunColumn::Entry => (words.entry)(run.entry).into_any(),
        RunColumn::Tokens => format::tokens(run).into_any(),
        RunColumn::Cost => view! { <Cost totals=run.totals.clone() /> }.into_any(),
        RunColumn::Duration => view! { <RunDuration run=run.clone() /> }.into_any(),
        RunColumn::Started => view! { <Moment at=run.started_at /> }.into_any(),
    };
    view! {
        <td data-label=column_name(column) class=class(column) data-priority=priority(column)>
            {content}
        </td>
    }
    .into_any()
}

/// How a column stands: figures end where they end, and a card has no room for tokens.
const fn class(column: RunColumn) -> &'static str {
    match column {
        RunColumn::Model => "cell-two",
        RunColumn::Key | RunColumn::Mode | RunColumn::Entry => "",
        RunColumn::Tokens => "num cell-spare",
        RunColumn::Cost | RunColumn::Duration | RunColumn::Started => "num",
    }
}

/// Which columns leave a narrow page first.
const fn priority(column: RunColumn) -> Option<&'static str> {
    match column {
        RunColumn::Key | RunColumn::Mode | RunColumn::Entry => Some("3"),
        RunColumn::Tokens => Some("2"),
        _ => None,
    }
}
