//! How far each consumer is behind.

use leptos::prelude::*;
use types::outbox::ConsumerLag;

use super::{Head, View};
use crate::component::{Page, use_frame};
use crate::format;
use crate::function::list_lags;
use crate::text::text;

/// Every consumer.
#[component]
pub(super) fn Consumers() -> impl IntoView {
    let frame = use_frame();
    let lags = frame.resource(|| (), |slug, ()| list_lags(slug));
    frame.page(lags, move |place, lags| {
        view! {
            <Page>
                <Head place=place view=View::Consumers />
                <p class="muted">{text().events.consumers_text}</p>
                <Table lags=lags />
            </Page>
        }
    })
}

#[component]
fn Table(lags: Vec<ConsumerLag>) -> impl IntoView {
    let events = &text().events;
    let time = |millis: Option<u64>| {
        millis.map_or_else(
            || view! { <span class="none">"—"</span> }.into_any(),
            |millis| format::duration(millis).into_any(),
        )
    };
    let row = |lag: ConsumerLag| {
        view! {
            <tr data-testid="consumer">
                <td class="cell-main" data-label=events.consumer>
                    <code>{lag.consumer}</code>
                </td>
                <td class="num" data-label=events.pending>
                    {format::count(lag.pending)}
                </td>
                <td class="num" data-label=events.leased>
                    {format::count(lag.leased)}
                </td>
                <td class="num" data-label=events.dead>
                    {format::count(lag.dead)}
                </td>
                <td class="num" data-label=events.oldest>
                    {time(lag.oldest_ms)}
                </td>
                <td class="num" data-label=events.p95>
                    {time(lag.p95_ms)}
                </td>
            </tr>
        }
    };
    let head = [events.pending, events.leased, events.dead, events.oldest, events.p95];
    let head = head.map(|label| {
        view! {
            <th scope="col" class="num">
                {label}
            </th>
        }
    });
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="consumers">
                <caption class="sr-only">{events.tab_consumers}</caption>
                <thead>
                    <tr>
                        <th scope="col">{events.consumer}</th>
                        {head}
                    </tr>
                </thead>
                <tbody>{lags.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
