//! Banners above the page and notices inside it.

use leptos::prelude::*;

use super::{Icon, IconView};

/// What a notice means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Neutral,
    Allow,
    Ask,
    Deny,
    Running,
}

impl Tone {
    pub(crate) const ALL: [Self; 5] = [Self::Neutral, Self::Allow, Self::Ask, Self::Deny, Self::Running];

    /// The word the style sheet knows.
    pub(crate) const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Neutral => None,
            Self::Allow => Some("allow"),
            Self::Ask => Some("ask"),
            Self::Deny => Some("deny"),
            Self::Running => Some("running"),
        }
    }

    const fn icon(self) -> Icon {
        match self {
            Self::Neutral | Self::Running => Icon::Info,
            Self::Allow => Icon::Check,
            Self::Ask => Icon::Alert,
            Self::Deny => Icon::Error,
        }
    }
}

/// A banner above the page.
#[component]
pub(crate) fn Banner(
    /// What it means.
    tone: Tone,
    /// Its sentence, with a link where there is one.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="banner" data-tone=tone.as_str() data-testid="banner">
            <IconView icon=tone.icon() />
            <p>{children()}</p>
        </div>
    }
    .into_any()
}

/// A notice inside the page.
#[component]
pub(crate) fn Notice(
    /// What it means.
    tone: Tone,
    /// Its sentence.
    #[prop(into)]
    text: String,
    /// The case as the server wrote it, in its own language.
    #[prop(optional, into)]
    detail: Option<String>,
    /// What can be done, beside it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="notice" data-tone=tone.as_str() data-testid="notice" role="status">
            <IconView icon=tone.icon() />
            <p>{text} {detail.map(|detail| view! { ": " <span lang="en">{detail}</span> })}</p>
            {children.map(|children| children())}
        </div>
    }
    .into_any()
}
