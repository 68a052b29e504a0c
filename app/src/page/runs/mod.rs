//! `/runs`: what happened, newest first, narrowed by filters, live.

mod filters;
mod live;
mod peek;
mod table;

use leptos::prelude::*;
use types::run::{RunFilter, RunQuery};

use crate::backend::runs::{RunList, Total};
use crate::backend::set_status;
use crate::component::{Empty, Icon, IconView, Notice, Page, PageHead, Pager, Place, Tone, params, use_frame};
use crate::format::{self, Stamp};
use crate::function::list_runs;
use crate::query::{Params, Range, RunsQuery, SEARCH, Span};
use crate::route::{self, At};
use crate::text::text;
use crate::visit::visit;

use filters::{Columns, Filters};
use live::LiveRows;
use peek::Peek;
use table::Table;

/// The runs list.
#[component]
pub(crate) fn Runs() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    // The drawer is no part of the list: opening it loads nothing anew.
    let visit = visit();
    let query = Memo::new(move |_| RunsQuery::read(&params.get().without(&["peek"]), &visit.zone));
    if query.with_untracked(|query| !query.beyond.is_empty()) {
        set_status(400);
    }
    let list = frame.resource(
        move || query.with(|query| (query.range, query.query.clone())),
        |slug, (range, query)| list_runs(slug, range, query),
    );
    let rows = LiveRows::follow(frame, list, query);
    // Which columns there are is no question to the server.
    let columns = Memo::new(move |_| query.with(|query| query.columns.clone()));
    let page = frame.page(list, move |place, list| {
        move || {
            // Read, not tracked: what was never read tells nobody that it changed.
            let query = RunsQuery { columns: columns.get(), ..query.get_untracked() };
            view! { <Shown place=place.clone() list=list.clone() query=query params=params rows=rows /> }
        }
    });
    view! {
        {page}
        <Peek list=list params=params />
    }
    .into_any()
}

#[component]
fn Shown(place: Place, list: RunList, query: RunsQuery, params: Memo<Params>, rows: LiveRows) -> impl IntoView {
    let text = text();
    let present = params.get_untracked();
    let export = place
        .may("export.runs")
        .then(|| view! { <Export slug=place.shell.workspace.slug.to_string() params=present.clone() /> });
    let new_key = place.may("api_key.create").then(|| place.at.new_key());
    let at = place.at;
    let path = at.runs();
    // What narrows the list begins it anew, up to now.
    let anew = Range::thaw(present.clone().without(&["after", "peek"]));
    let shown = list.page.items.len();
    let total = list.total.map(of);
    let meta = total.clone().map(|total| (text.runs.in_range)(&total, &range_words(query.range, &list)));
    let wrong = query.wrong.iter().copied().chain(list.cursor_refused.then_some("after"));
    let beyond = query.beyond.iter().map(|name| match *name {
        "q" => (text.common.too_long)(name, *SEARCH.end()),
        _ => (text.common.too_many)(name, RunFilter::MOST_VALUES),
    });
    let wrong: Vec<String> = wrong.map(text.common.wrong_parameter).chain(beyond).collect();
    let filtered = query.is_filtered();
    let bounds = (list.from, list.to);
    let older =
        list.page.next_cursor.as_ref().map(|cursor| {
            query.range.freeze(present.clone().without(&["peek"]), bounds).with("after", cursor).at(&path)
        });
    let newest = query.query.cursor.is_some().then(|| anew.at(&path));
    let info = total.map_or_else(
        || format::count(count(shown)),
        |total| (text.common.shown_of)(&format::count(count(shown)), &total),
    );
    let is_empty = list.page.items.is_empty();
    let columns = view! { <Columns path=path.clone() params=anew.clone() shown=query.columns.clone() /> };
    view! {
        <Page>
            <PageHead title=text.runs.title meta=meta.map(IntoAny::into_any)>
                {columns}
                {export}
            </PageHead>
            {wrong.into_iter().map(|notice| view! { <Notice tone=Tone::Ask text=notice /> }).collect_view()}
            <Filters path=path.clone() params=anew.clone() query=query.clone() choices=list.choices.clone() />
            <NewRows rows=rows filtered=filtered here=anew.at(&path) />
            {if is_empty {
                view! { <Nothing at=at new_key=new_key query=query.query filtered=filtered /> }.into_any()
            } else {
                view! {
                    <Table at=at list=list query=query params=params rows=rows />
                    <Pager info=info newest=newest older=older />
                }
                    .into_any()
            }}
        </Page>
    }
    .into_any()
}

/// Every run of the list as a file.
#[component]
fn Export(slug: String, params: Params) -> impl IntoView {
    let runs = &text().runs;
    let params = params.without(&["peek", "after"]).with("w", &slug);
    let link = |format: &str, label: &'static str| {
        let href = params.clone().with("format", format).at(route::RUNS_EXPORT);
        view! {
            <a class="menu-item" href=href rel="external" download="">
                {label}
            </a>
        }
    };
    view! {
        <details class="menu menu--end" name="menu" data-testid="export">
            <summary class="btn">
                <IconView icon=Icon::Download />
                {runs.export}
            </summary>
            <div class="menu-panel">{link("csv", runs.export_csv)} {link("jsonl", runs.export_jsonl)}</div>
        </details>
    }
    .into_any()
}

/// Rows that came since the page was loaded wait behind a bar, so that nothing moves under the reader's hand.
#[component]
fn NewRows(rows: LiveRows, filtered: bool, here: String) -> impl IntoView {
    let runs = &text().runs;
    move || {
        let waiting = count(rows.waiting());
        let here = here.clone();
        (waiting > 0).then(|| {
            // Whether a new run matches the filters is not known before the list is loaded.
            let words = if filtered { runs.new_activity.to_owned() } else { (runs.new_runs)(waiting) };
            let show = move |event: leptos::ev::MouseEvent| {
                event.prevent_default();
                rows.reload();
            };
            view! {
                <a class="new-rows" href=here on:click=show data-testid="new-rows">
                    {words}
                </a>
            }
        })
    }
}

#[component]
fn Nothing(at: At, new_key: Option<String>, query: RunQuery, filtered: bool) -> impl IntoView {
    let text = text();
    if filtered || query.cursor.is_some() {
        return view! {
            <Empty icon=Icon::Filter title=text.runs.no_match text=text.runs.no_match_text>
                <a class="btn" href=at.runs()>
                    {text.common.clear_filters}
                </a>
            </Empty>
        }
        .into_any();
    }
    let wider = Range::Last(Span::QUARTER).write(Params::default()).at(&at.runs());
    view! {
        <Empty icon=Icon::Runs title=text.runs.empty text=text.runs.empty_text>
            <div class="row">
                {new_key
                    .map(|href| {
                        view! {
                            <a class="btn btn--primary" href=href>
                                {text.keys.new}
                            </a>
                        }
                    })}
                <a class="btn" href=wider>
                    {text.runs.wider}
                </a>
            </div>
        </Empty>
    }
    .into_any()
}

fn of(total: Total) -> String {
    let count = format::count(total.count);
    if total.is_lower_bound { (text().runs.at_least)(&count) } else { count }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// `the last 24 h · UTC`.
fn range_words(range: Range, list: &RunList) -> String {
    let (common, visit) = (&text().common, visit());
    let words = match range {
        Range::Last(span) => (common.range_last)(&(common.span)(span.parts())),
        Range::Between { .. } => {
            let at = |moment| format::date_time(Stamp::new(moment, &visit.zone));
            (common.range_between)(&at(list.from), &at(list.to))
        }
    };
    format!("{words} · {}", visit.zone.name)
}
