//! A whole list as a file.

use leptos::prelude::*;

use super::{Icon, IconView};
use crate::query::Params;
use crate::text::text;

/// The menu that offers every row of a list as a file.
#[component]
pub(crate) fn ExportMenu(
    /// Where the file comes from.
    path: &'static str,
    /// The workspace, by its slug.
    slug: String,
    /// The parameters of the list.
    params: Params,
) -> impl IntoView {
    let runs = &text().runs;
    let params = params.with("w", &slug);
    let link = |format: &str, label: &'static str| {
        let href = params.clone().with("format", format).at(path);
        view! {
            <a class="menu-item" href=href rel="external" download="">
                {label}
            </a>
        }
    };
    view! {
        <details class="menu menu--end" name="menu" data-testid="export">
            <summary class="btn">
                <IconView icon=Icon::Download />
                {runs.export}
            </summary>
            <div class="menu-panel">{link("csv", runs.export_csv)} {link("jsonl", runs.export_jsonl)}</div>
        </details>
    }
    .into_any()
}
