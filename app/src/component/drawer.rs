//! The peek of a list: a drawer with its own address, beside the list where there is room.

use leptos::prelude::*;

use super::{Icon, IconView};
use crate::browser;
use crate::text::text;

/// A drawer. `J` and `K` move through the list it was opened from, `Esc` closes it. Opened by its reader it takes the focus,
/// closed it gives it back to its row.
#[component]
pub(crate) fn Drawer(
    /// What it shows.
    #[prop(into)]
    title: String,
    /// The list without it.
    close: String,
    /// The row above.
    #[prop(optional_no_strip)]
    previous: Option<String>,
    /// The row below.
    #[prop(optional_no_strip)]
    next: Option<String>,
    /// Beneath the body.
    #[prop(optional_no_strip)]
    foot: Option<AnyView>,
    /// The body.
    children: Children,
) -> impl IntoView {
    let text = text();
    Effect::new(browser::enter_drawer);
    let step = |href: Option<String>, key: &'static str, icon: Icon, index: usize| {
        let label = text.shell.shortcut_list.get(index).map(|(_, label)| *label);
        href.map(|href| {
            view! {
                <a class="btn btn--quiet btn--icon" href=href data-shortcut=key data-noscroll="" aria-label=label>
                    <IconView icon=icon />
                </a>
            }
        })
    };
    view! {
        <aside class="drawer" tabindex="-1" aria-label=title.clone() data-testid="drawer">
            <header class="drawer-head">
                <h2>{title.clone()}</h2>
                {step(previous, "k", Icon::ChevronUp, 7)}
                {step(next, "j", Icon::ChevronDown, 6)}
                <a
                    class="btn btn--quiet btn--icon"
                    href=close
                    data-shortcut="Esc"
                    data-noscroll=""
                    aria-label=text.common.close
                >
                    <IconView icon=Icon::X />
                </a>
            </header>
            <div class="drawer-body">{children()}</div>
            {foot.map(|foot| view! { <footer class="drawer-foot">{foot}</footer> })}
        </aside>
    }
    .into_any()
}
