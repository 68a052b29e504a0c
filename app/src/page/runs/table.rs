//! The rows of the runs list.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use types::run::{Run, RunQuery, RunSort};

use super::LiveRows;
use crate::backend::runs::RunList;
use crate::component::{Cost, Icon, IconView, Moment, RunDuration, RunStatusView, opens_list};
use crate::format;
use crate::query::Params;
use crate::route::At;
use crate::text::text;

/// The rows.
#[component]
pub(super) fn Table(at: At, list: RunList, query: RunQuery, params: Memo<Params>, rows: LiveRows) -> impl IntoView {
    let text = text();
    let sort = move |by: RunSort, label: &'static str| {
        let here = query.sort == by;
        let direction = here.then_some(if query.descending { "descending" } else { "ascending" });
        // Where it is sorted by already, the other way round.
        let word = if here && query.descending { by.as_str().to_owned() } else { format!("-{by}") };
        let href = params.get_untracked().without(&["after", "peek"]).with("sort", &word);
        view! {
            <th scope="col" class="num" aria-sort=direction>
                <a class="sort" href=href.here()>
                    {label}
                </a>
            </th>
        }
    };
    let names = Arc::new(list.names);
    let row = |(index, run): (usize, Run)| {
        view! { <Row at=at.clone() run=run first=index == 0 names=names.clone() params=params rows=rows /> }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="runs">
                <caption class="sr-only">{text.runs.title}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.runs.run}</th>
                        <th scope="col">{text.runs.model}</th>
                        <th scope="col" data-priority="3">
                            {text.runs.key}
                        </th>
                        <th scope="col" class="num" data-priority="2">
                            {text.runs.tokens}
                        </th>
                        <th scope="col" class="num">
                            {text.runs.cost}
                        </th>
                        {sort(RunSort::DurationMs, text.runs.duration)}
                        {sort(RunSort::StartedAt, text.runs.started)}
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
    params: Memo<Params>,
    rows: LiveRows,
) -> impl IntoView {
    let text = text();
    let id = run.id.to_string();
    let peeked = {
        let id = id.clone();
        Memo::new(move |_| params.with(|params| params.get("peek") == Some(id.as_str())))
    };
    let peek = {
        let id = id.clone();
        move || params.with(|params| params.clone().with("peek", &id).here())
    };
    let href = at.run(&id);
    let latest = Memo::new(move |_| rows.latest(&run));
    let owner = move |run: &Run| {
        let id = run.api_key_id.map_or_else(|| run.caller.id.clone(), |key| key.to_string());
        names.get(&id).cloned().unwrap_or_else(|| format::short_id(&id))
    };
    let cells = move || {
        let run = latest.get();
        let owner = owner(&run);
        let tokens = run.totals.usage.tokens();
        view! {
            <td data-label=text.runs.model class="cell-two">
                {run.model_ref.clone().map_or_else(|| view! { <span class="none">"—"</span> }.into_any(), IntoAny::into_any)}
            </td>
            <td data-label=text.runs.key data-priority="3">
                {owner}
            </td>
            <td data-label=text.runs.tokens class="num cell-spare" data-priority="2">
                {format::count(tokens)}
            </td>
            <td data-label=text.runs.cost class="num">
                <Cost totals=run.totals.clone() />
            </td>
            <td data-label=text.runs.duration class="num">
                <RunDuration run=run.clone() />
            </td>
            <td data-label=text.runs.started class="num">
                <Moment at=run.started_at />
            </td>
        }
    };
    view! {
        <tr aria-current=move || peeked.get().then_some("true") data-testid="run" data-state=move || latest.with(|run| run.status.as_str())>
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
            <td class="cell-actions">
                <a
                    class="btn btn--quiet btn--icon"
                    href=peek
                    data-shortcut=move || opens_list(first, params)
                    data-noscroll=""
                    aria-label=text.runs.peek
                >
                    <IconView icon=Icon::Sidebar />
                </a>
            </td>
        </tr>
    }
    .into_any()
}
