//! The events of a time.

use leptos::prelude::*;
use types::outbox::{EventFilter, EventQuery, OutboxEvent};
use types::view::ViewPage;

use super::{Head, View};
use crate::backend::outbox::EventList;
use crate::backend::set_status;
use crate::component::{
    AddressNotices, Empty, ExportMenu, Facet, FilterBar, Icon, Moment, NoMatch, Page, Pager, RangePages, RangePicker,
    Views, ViewsMenu, counted, use_frame,
};
use crate::format;
use crate::function::list_events;
use crate::query::{EVENT_FILTERS, Params, Range, Span, TimeQuery};
use crate::route::{self, At};
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
    let views = Views::of(frame, ViewPage::Events, params);
    views.page(frame, list, move |menu, list| {
        view! { <Shown menu=menu list=list query=query.get_untracked() params=params.get_untracked() /> }.into_any()
    })
}

#[component]
fn Shown(menu: ViewsMenu, list: EventList, query: TimeQuery<EventQuery>, params: Params) -> impl IntoView {
    let place = menu.place().clone();
    let at = place.at.clone();
    let path = at.events();
    let filtered = query.is_filtered() || query.query.cursor.is_some();
    let TimeQuery { range, wrong, beyond, .. } = query;
    let cursor = list.page.next_cursor.as_deref();
    let RangePages { anew, newest, older } = RangePages::new(&path, params, range, (list.from, list.to), cursor);
    let shown = counted(list.page.items.len());
    let export = place.may("export.events").then(|| {
        let slug = place.shell.workspace.slug.to_string();
        view! { <ExportMenu path=route::EVENTS_EXPORT slug=slug params=anew.clone() /> }
    });
    let rows = if list.page.items.is_empty() {
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
            <Head place=place view=View::Events>{menu.menu()} {export}</Head>
            <AddressNotices wrong=wrong beyond=beyond most=EventFilter::MOST_VALUES cursor_refused=list.cursor_refused />
            <Filters path=path params=anew range=range />
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
    let events = &text().events;
    if filtered {
        return view! { <NoMatch title=events.no_match hint=events.no_match_text all=at.events() /> }.into_any();
    }
    view! { <Empty icon=Icon::Events title=events.empty text=events.empty_text /> }.into_any()
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
