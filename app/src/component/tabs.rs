//! Tabs are links: each view of a page has its address.

use leptos::prelude::*;

/// One tab.
pub(crate) struct Tab {
    /// Its name.
    pub(crate) label: &'static str,
    /// Its address.
    pub(crate) href: String,
    /// Whether it is the view shown.
    pub(crate) current: bool,
    /// How many things are in it.
    pub(crate) count: Option<String>,
}

/// The views of a page.
#[component]
pub(crate) fn Tabs(
    /// What they are views of.
    label: &'static str,
    /// The tabs.
    tabs: Vec<Tab>,
) -> impl IntoView {
    let tab = |tab: Tab| {
        view! {
            <a class="tab" href=tab.href aria-current=tab.current.then_some("page") data-noscroll="">
                {tab.label}
                {tab.count.map(|count| view! { " " <span class="count">{count}</span> })}
            </a>
        }
    };
    view! {
        <nav class="tabs" aria-label=label data-testid="tabs">
            {tabs.into_iter().map(tab).collect_view()}
        </nav>
    }
    .into_any()
}
