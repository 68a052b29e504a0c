//! The events of a time.

use leptos::prelude::*;
use types::outbox::{EventFilter, EventQuery, OutboxEvent};

use super::{Head, View};
use crate::backend::outbox::EventList;
use crate::backend::set_status;
use crate::component::{
    Empty, Facet, FilterBar, Icon, Moment, Notice, Page, Pager, Place, RangePicker, Tone, use_frame,
};
use crate::format;
use crate::function::list_events;
use crate::query::{EVENT_FILTERS, Params, Range, Span, TimeQuery};
use crate::route::At;
use crate::text::text;
use crate::visit::visit;

/// The events of a time, newest first.
#[component]
pub(super) fn EventsOfRange(params: Memo<Params>) -> impl IntoView {
    let frame = use_frame();
    let visit = visit();
    let query = Memo::new(move |_| TimeQuery::read_events(&params.get(), &visit.zone));
    if query.with_untracked(|query| !query.beyond.is_empty()) {
        set_status(400);
    }
    let list = frame.resource(
        move || query.with(|query| (query.range, query.query.clone())),
        |slug, (range, query)| list_events(slug, range, query),
    );
    frame.page(list, move |place, list| {
        view! { <Shown place=place list=list query=query.get_untracked() params=params.get_untracked() /> }
    })
}

#[component]
fn Shown(place: Place, list: EventList, query: TimeQuery<EventQuery>, params: Params) -> impl IntoView {
    let (text, at) = (text(), place.at.clone());
    let path = at.events();
    // What narrows the list begins it anew, up to now.
    let anew = Range::thaw(params.clone().without(&["after"]));
    let wrong = query.wrong.iter().copied().chain(list.cursor_refused.then_some("after"));
    let beyond = query.beyond.iter().map(|name| (text.common.too_many)(name, EventFilter::MOST_VALUES));
    let wrong: Vec<String> = wrong.map(text.common.wrong_parameter).chain(beyond).collect();
    let older = list
        .page
        .next_cursor
        .as_ref()
        .map(|cursor| query.range.freeze(params, (list.from, list.to)).with("after", cursor).at(&path));
    let newest = query.query.cursor.is_some().then(|| anew.at(&path));
    let shown = format::count(u64::try_from(list.page.items.len()).unwrap_or(u64::MAX));
    let rows = if list.page.items.is_empty() {
        let filtered = query.is_filtered() || query.query.cursor.is_some();
        view! { <Nothing at=at filtered=filtered /> }.into_any()
    } else {
        view! {
            <Table at=at params=anew.clone() events=list.page.items />
            <Pager info=shown newest=newest older=older />
        }
        .into_any()
    };
    view! {
        <Page>
            <Head place=place view=View::Events />
            {wrong.into_iter().map(|notice| view! { <Notice tone=Tone::Ask text=notice /> }).collect_view()}
            <Filters path=path params=anew range=query.range />
            {rows}
        </Page>
    }
    .into_any()
}

#[component]
fn Filters(path: String, params: Params, range: Range) -> impl IntoView {
    let events = &text().events;
    // They have too many values for a menu, and are chosen on a row.
    let facet = |name, label| Facet { name, label, options: Vec::new() };
    let facets = vec![facet("f.event", events.event), facet("f.subject", events.subject), facet("f.run", events.run)];
    let picker = view! { <RangePicker path=path.clone() params=params.clone() range=range spans=&Span::ALL /> };
    view! { <FilterBar path=path params=params facets=facets names=EVENT_FILTERS end=picker.into_any() /> }.into_any()
}

#[component]
fn Nothing(at: At, filtered: bool) -> impl IntoView {
    let text = text();
    if filtered {
        return view! {
            <Empty icon=Icon::Filter title=text.events.no_match text=text.events.no_match_text>
                <a class="btn" href=at.events()>
                    {text.common.clear_filters}
                </a>
            </Empty>
        }
        .into_any();
    }
    view! { <Empty icon=Icon::Events title=text.events.empty text=text.events.empty_text /> }.into_any()
}

#[component]
fn Table(at: At, params: Params, events: Vec<OutboxEvent>) -> impl IntoView {
    let text = &text().events;
    let row = |event: OutboxEvent| {
        let alike = params.clone().with("f.event", &event.event_type).here();
        let short = format::short_id(&event.subject);
        let subject = match event.run_id {
            Some(id) => view! {
                <a class="link" href=at.run(id)>
                    <code class="id" title=event.subject.clone()>
                        {short}
                    </code>
                </a>
            }
            .into_any(),
            None => view! {
                <code class="id" title=event.subject.clone()>
                    {short}
                </code>
            }
            .into_any(),
        };
        view! {
            <tr data-testid="event">
                <td data-label=text.event class="cell-main">
                    <a class="row-link" href=alike>
                        {event.event_type.clone()}
                    </a>
                </td>
                <td data-label=text.subject>{subject}</td>
                <td data-label=text.number class="num" data-priority="3">
                    {format::count(event.subject_seq)}
                </td>
                <td data-label=text.payload class="cell-full" data-priority="3">
                    <code>{format::sorted_json(&event.payload)}</code>
                </td>
                <td data-label=text.when class="num">
                    <Moment at=event.occurred_at />
                </td>
            </tr>
        }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="events">
                <caption class="sr-only">{text.tab}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.event}</th>
                        <th scope="col">{text.subject}</th>
                        <th scope="col" class="num" data-priority="3">
                            {text.number}
                        </th>
                        <th scope="col" data-priority="3">
                            {text.payload}
                        </th>
                        <th scope="col" class="num">
                            {text.when}
                        </th>
                    </tr>
                </thead>
                <tbody>{events.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
