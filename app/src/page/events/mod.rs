//! `/events`: what consumers were told, what was given up of it, and how far they are behind.

mod consumers;
mod dead;
mod list;

use leptos::prelude::*;

use crate::component::{PageHead, Place, Tab, Tabs, params};
use crate::query::Params;
use crate::text::text;

use consumers::Consumers;
use dead::DeadLetters;
use list::EventsOfRange;

/// A view of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Events,
    Dead,
    Consumers,
}

impl View {
    fn read(params: &Params) -> Self {
        match params.get("tab") {
            Some("dead") => Self::Dead,
            Some("consumers") => Self::Consumers,
            _ => Self::Events,
        }
    }
}

/// Events, dead letters or consumers.
#[component]
pub(crate) fn Events() -> impl IntoView {
    let params = params();
    let view = Memo::new(move |_| params.with(View::read));
    move || match view.get() {
        View::Events => view! { <EventsOfRange params=params /> }.into_any(),
        View::Dead => view! { <DeadLetters params=params /> }.into_any(),
        View::Consumers => view! { <Consumers /> }.into_any(),
    }
}

/// The head of the page, with what can be done.
#[component]
fn Head(place: Place, view: View, #[prop(optional)] children: Option<Children>) -> impl IntoView {
    let (events, at) = (&text().events, place.at);
    let tab = |label, href, of| Tab { label, href, current: view == of, count: None };
    let tabs = vec![
        tab(events.tab, at.events(), View::Events),
        tab(events.tab_dead, at.dead_letters(), View::Dead),
        tab(events.tab_consumers, at.consumers(), View::Consumers),
    ];
    let actions = children.map(|children| children());
    view! {
        <PageHead title=events.title>{actions}</PageHead>
        <Tabs label=events.title tabs=tabs />
    }
    .into_any()
}
