//! The frame inside `main`: width, title, meta line, actions.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

use super::{Icon, IconView, Notice, Tone, params};
use crate::query::ZONE;
use crate::text::text;
use crate::visit::visit;

/// How wide a page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Width {
    /// As wide as there is: lists.
    #[default]
    Full,
    /// At most 1200: one thing in detail.
    Detail,
    /// At most 640: forms.
    Narrow,
}

/// A page.
#[component]
pub(crate) fn Page(
    /// How wide it is.
    #[prop(optional)]
    width: Width,
    /// What it holds.
    children: Children,
) -> impl IntoView {
    let class = match width {
        Width::Full => "page",
        Width::Detail => "page page--detail",
        Width::Narrow => "page page--narrow",
    };
    view! { <div class=class>{children()}</div> }.into_any()
}

/// The head of a page: where it is, its name, a line about it, what can be done.
#[component]
pub(crate) fn PageHead(
    /// Its name, also the document's title.
    #[prop(into)]
    title: String,
    /// The page above: its name and address.
    #[prop(optional_no_strip)]
    above: Option<(&'static str, String)>,
    /// Beside the name: status, verdict, copy button.
    #[prop(optional_no_strip)]
    beside: Option<AnyView>,
    /// The line about it.
    #[prop(optional_no_strip)]
    meta: Option<AnyView>,
    /// What can be done.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <Title text=title.clone() />
        {above
            .map(|(name, href)| {
                view! {
                    <nav class="crumbs" aria-label=text().common.back>
                        <ol>
                            <li>
                                <a href=href>{name}</a>
                            </li>
                            <li aria-current="page">{title.clone()}</li>
                        </ol>
                    </nav>
                }
            })}
        <header class="page-head">
            <div class="page-title">
                <div class="title-line">
                    <h1>{title.clone()}</h1>
                    {beside}
                </div>
                {meta.map(|meta| view! { <p class="page-meta">{meta}</p> })}
            </div>
            {children.map(|children| view! { <div class="page-actions">{children()}</div> })}
        </header>
        <AskedZone />
    }
    .into_any()
}

/// What became of the zone the address asks for: a chip that lets go of it, or a notice that there is none of this name.
#[component]
fn AskedZone() -> impl IntoView {
    let (visit, common, label) = (visit(), &text().common, text().settings.zone);
    let asked = visit.asked_zone.is_some();
    let Some(zone) = visit.chosen_zone().map(str::to_owned) else {
        let wrong = asked.then(|| view! { <Notice tone=Tone::Ask text=(common.wrong_parameter)(ZONE) /> });
        return wrong.into_any();
    };
    let (params, path) = (params(), use_location().pathname);
    let without = move || params.get().without(&[ZONE]).at(&path.get());
    // The offsets of the zone came with the page, so another zone is another page.
    view! {
        <p class="page-zone">
            <span class="filter" data-testid="zone">
                <span class="filter-name">{(common.filter_name)(label)}</span>
                " "
                {zone}
                " "
                <a class="filter-drop" href=without rel="external" aria-label=(common.remove_filter)(label)>
                    <IconView icon=Icon::X />
                </a>
            </span>
        </p>
    }
    .into_any()
}
