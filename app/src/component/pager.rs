//! Keyset pages: older ones, and back to the newest.

use leptos::prelude::*;

use super::{Notice, Tone};
use crate::backend::List;
use crate::format;
use crate::query::Params;
use crate::text::text;

/// Around the rows of a list: what is wrong with the address above them, the way to its other pages beneath.
#[component]
pub(crate) fn Paged<T: 'static>(
    /// The page.
    list: List<T>,
    /// The address.
    params: Params,
    /// Shows the rows.
    rows: impl FnOnce(Vec<T>) -> AnyView,
) -> impl IntoView {
    let common = &text().common;
    let refused =
        list.cursor_refused.then(|| view! { <Notice tone=Tone::Ask text=(common.wrong_parameter)("after") /> });
    let newest = (params.get("after").is_some() && !list.cursor_refused)
        .then(|| params.clone().without(&["after", "peek"]).here());
    let older = list.page.next_cursor.map(|cursor| params.without(&["peek"]).with("after", &cursor).here());
    let counted = |length: usize| format::count(u64::try_from(length).unwrap_or(u64::MAX));
    let info = (common.shown_of)(&counted(list.page.items.len()), &counted(list.total));
    let pager = (newest.is_some() || older.is_some()).then(|| view! { <Pager info=info newest=newest older=older /> });
    view! { {refused} {rows(list.page.items)} {pager} }.into_any()
}

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
