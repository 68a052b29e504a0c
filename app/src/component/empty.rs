//! Nothing to show, and the next step.

use leptos::prelude::*;

use super::{Icon, IconView};
use crate::text::text;

/// Nothing to show: an icon, a sentence, and the next step.
#[component]
pub(crate) fn Empty(
    /// What is missing.
    icon: Icon,
    /// In one line.
    #[prop(into)]
    title: String,
    /// In one sentence.
    #[prop(into)]
    text: String,
    /// Whether it stands for the whole page, so that its title is the page's.
    #[prop(optional)]
    whole: bool,
    /// The next step.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let title = if whole { view! { <h1>{title}</h1> }.into_any() } else { view! { <h2>{title}</h2> }.into_any() };
    view! {
        <div class="empty" data-testid="empty">
            <IconView icon=icon size=20 />
            {title}
            <p>{text}</p>
            {children.map(|children| children())}
        </div>
    }
    .into_any()
}

/// No row of a list matches its filters.
#[component]
pub(crate) fn NoMatch(
    /// In one line.
    title: &'static str,
    /// In one sentence.
    hint: &'static str,
    /// The list without filters.
    all: String,
) -> impl IntoView {
    view! {
        <Empty icon=Icon::Filter title=title text=hint>
            <a class="btn" href=all>
                {text().common.clear_filters}
            </a>
        </Empty>
    }
    .into_any()
}
