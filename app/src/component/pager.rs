//! Keyset pages: older ones, and back to the newest.

use leptos::prelude::*;

use crate::text::text;

/// The way through a list's pages.
#[component]
pub(crate) fn Pager(
    /// What is shown: `50 of 1,204`.
    info: String,
    /// The first page, unless this is it.
    newest: Option<String>,
    /// The next page, unless this is the last.
    older: Option<String>,
) -> impl IntoView {
    let common = &text().common;
    view! {
        <nav class="pager" aria-label=common.pages data-testid="pager">
            <span class="pager-info">{info}</span>
            {newest
                .map(|href| {
                    view! {
                        <a class="btn btn--sm" rel="prev" href=href>
                            {common.newest}
                        </a>
                    }
                })}
            {older
                .map(|href| {
                    view! {
                        <a class="btn btn--sm" rel="next" href=href>
                            {common.older}
                        </a>
                    }
                })}
        </nav>
    }
    .into_any()
}
