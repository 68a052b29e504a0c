//! Ids and the button that copies them.

use leptos::prelude::*;

use super::{Icon, IconView};
use crate::format;
use crate::text::text;

/// A button that copies a text; without scripts it is hidden by the style sheet, and the text beside it can be selected.
#[component]
pub(crate) fn CopyButton(
    /// What it copies.
    #[prop(into)]
    text_to_copy: String,
) -> impl IntoView {
    view! {
        <button class="copy" type="button" data-copy=text_to_copy aria-label=text().common.copy data-testid="copy">
            <IconView icon=Icon::Copy />
        </button>
    }
    .into_any()
}

/// An id with its middle left out; the whole in the title and in the copy button.
#[component]
pub(crate) fn Id(
    /// The id.
    #[prop(into)]
    id: String,
    /// With a copy button.
    #[prop(optional)]
    copy: bool,
) -> impl IntoView {
    let short = format::short_id(&id);
    view! {
        <code class="id" title=id.clone()>{short}</code>
        {copy.then(|| view! { <CopyButton text_to_copy=id /> })}
    }
    .into_any()
}
