//! Keyset pages: older ones, and back to the newest.

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use super::{Notice, Tone};
use crate::backend::List;
use crate::format;
use crate::query::{PASSING, Params, Range, SEARCH};
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
    let info = (common.shown_of)(&counted(list.page.items.len()), &counted(list.total));
    let pager = (newest.is_some() || older.is_some()).then(|| view! { <Pager info=info newest=newest older=older /> });
    view! { {refused} {rows(list.page.items)} {pager} }.into_any()
}

/// The addresses around one page of a list of a time.
pub(crate) struct RangePages {
    /// The list from its newest row on: what narrows it begins it anew, up to now.
    pub(crate) anew: Params,
    /// The first page, unless this is it.
    pub(crate) newest: Option<String>,
    /// The next page, unless this is the last.
    pub(crate) older: Option<String>,
}

impl RangePages {
    /// Around a page that was read with these bounds, before the one at the cursor.
    pub(crate) fn new(
        path: &str,
        params: Params,
        range: Range,
        bounds: (DateTime<Utc>, DateTime<Utc>),
        cursor: Option<&str>,
    ) -> Self {
        let params = params.without(PASSING);
        let anew = Range::thaw(params.clone().without(&["after"]));
        let newest = params.get("after").is_some().then(|| anew.at(path));
        let older = cursor.map(|cursor| range.freeze(params, bounds).with("after", cursor).at(path));
        Self { anew, newest, older }
    }
}

/// What a list's address asks for in vain.
#[component]
pub(crate) fn AddressNotices(
    /// Parameters that could not be read.
    wrong: Vec<&'static str>,
    /// Parameters that ask for more than is taken.
    beyond: Vec<&'static str>,
    /// The most values of one parameter.
    most: usize,
    /// Whether the cursor is none of this list's.
    cursor_refused: bool,
) -> impl IntoView {
    let common = &text().common;
    let wrong = wrong.into_iter().chain(cursor_refused.then_some("after")).map(common.wrong_parameter);
    let beyond = beyond.into_iter().map(|name| match name {
        "q" => (common.too_long)(name, *SEARCH.end()),
        _ => (common.too_many)(name, most),
    });
    wrong.chain(beyond).map(|notice| view! { <Notice tone=Tone::Ask text=notice /> }).collect_view().into_any()
}

/// How many rows there are, in words.
pub(crate) fn counted(rows: usize) -> String {
    format::count(u64::try_from(rows).unwrap_or(u64::MAX))
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
