//! `/runs`: what happened, newest first, narrowed by filters, live.

mod filters;
mod live;
mod peek;
mod selection;
mod table;

use leptos::prelude::*;
use types::run::{RunFilter, RunQuery};
use types::view::ViewPage;

use crate::backend::runs::{RunList, Total};
use crate::backend::set_status;
use crate::component::{
    AddressNotices, Empty, ExportMenu, Icon, NoMatch, Page, PageHead, Pager, RangePages, Views, ViewsMenu,
    answered_action, callers, changes, counted, params, use_frame,
};
use crate::format::{self, Stamp};
use crate::function::{CancelRuns, list_runs};
use crate::query::{PASSING, Params, RUN_FILTERS, Range, RunsQuery, Span};
use crate::route::{self, At};
use crate::text::text;
use crate::visit::visit;

use filters::{Columns, Filters};
use live::LiveRows;
use peek::Peek;
use selection::{Asked, BulkBar, Selection};
use table::Table;

/// The runs list.
#[component]
pub(crate) fn Runs() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let cancel = answered_action::<CancelRuns>(|told| (text().runs.told_canceled)(told));
    let canceled = changes(cancel);
    let selection = Selection::of(params);
    // Neither the drawer nor what is ticked is a part of the list: they load nothing anew.
    let visit = visit();
    let query = Memo::new(move |_| RunsQuery::read(&params.get().without(PASSING), &visit.zone));
    if query.with_untracked(|query| !query.beyond.is_empty()) {
        set_status(400);
    }
    let list = frame.resource(
        move || (query.with(|query| (query.range, query.query.clone())), canceled.get()),
        |slug, ((range, query), _)| list_runs(slug, range, query),
    );
    let rows = LiveRows::follow(frame, list, query);
    // Which columns there are is no question to the server.
    let columns = Memo::new(move |_| query.with(|query| query.columns.clone()));
    let views = Views::of(frame, ViewPage::Runs, params);
    let page = views.page(frame, list, move |menu, list| {
        let shown = move || {
            // Read, not tracked: what was never read tells nobody that it changed.
            let query = RunsQuery { columns: columns.get(), ..query.get_untracked() };
            let (menu, list) = (menu.clone(), list.clone());
            view! { <Shown menu=menu list=list query=query params=params rows=rows selection=selection cancel=cancel /> }
        };
        shown.into_any()
    });
    view! {
        {page}
        <Peek list=list params=params />
    }
    .into_any()
}

#[component]
fn Shown(
    menu: ViewsMenu,
    list: RunList,
    query: RunsQuery,
    params: Memo<Params>,
    rows: LiveRows,
    selection: Selection,
    cancel: ServerAction<CancelRuns>,
) -> impl IntoView {
    let (text, place) = (text(), menu.place().clone());
    let present = params.get_untracked();
    let (at, path) = (place.at.clone(), place.at.runs());
    let (bounds, cursor) = ((list.from, list.to), list.page.next_cursor.as_deref());
    let RangePages { anew, newest, older } = RangePages::new(&path, present.clone(), query.range, bounds, cursor);
    let export = place
        .may("export.runs")
        .then(|| view! { <ExportMenu path=route::RUNS_EXPORT slug=place.shell.workspace.slug.to_string() params=anew.clone() /> });
    let new_key = place.may("api_key.create").then(|| place.at.new_key());
    let total = list.total.map(of);
    let meta = total.clone().map(|total| (text.runs.in_range)(&total, &range_words(query.range, &list)));
    let (wrong, beyond, refused) = (query.wrong.clone(), query.beyond.clone(), list.cursor_refused);
    let filtered = query.is_filtered();
    let shown = counted(list.page.items.len());
    let info = match total {
        Some(total) => (text.common.shown_of)(&shown, &total),
        None => shown,
    };
    let all = anew.clone().without(RUN_FILTERS).at(&path);
    let is_empty = list.page.items.is_empty();
    let columns = view! { <Columns path=path.clone() params=anew.clone() shown=query.columns.clone() /> };
    view! {
        <Page>
            <PageHead title=text.runs.title meta=meta.map(IntoAny::into_any)>
                {menu.menu()}
                {columns}
                {export}
            </PageHead>
            <AddressNotices wrong=wrong beyond=beyond most=RunFilter::MOST_VALUES cursor_refused=refused />
            <Filters path=path.clone() params=anew.clone() query=query.clone() choices=list.choices.clone() callers=callers(&list.names) />
            <NewRows rows=rows filtered=filtered here=anew.at(&path) />
            {if is_empty {
                view! { <Nothing at=at all=all new_key=new_key query=query.query filtered=filtered /> }.into_any()
            } else {
                selection.shows(&list);
                let range = query.range;
                let ticks = ["run.compare", "run.cancel", "export.runs"].iter().any(|action| place.may(action)).then_some(selection);
                let bar = ticks
                    .map(|selection| {
                        view! { <BulkBar place=place.clone() path=path total=list.total params=present selection=selection /> }
                    });
                view! {
                    <Table at=at list=list.clone() query=query params=params rows=rows ticks=ticks />
                    <Pager info=info newest=newest older=older />
                    {bar}
                    <Asked place=place list=list range=range params=params selection=selection cancel=cancel />
                }
                    .into_any()
            }}
        </Page>
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
fn Nothing(at: At, all: String, new_key: Option<String>, query: RunQuery, filtered: bool) -> impl IntoView {
    let text = text();
    if filtered || query.cursor.is_some() {
        return view! { <NoMatch title=text.runs.no_match hint=text.runs.no_match_text all=all /> }.into_any();
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
