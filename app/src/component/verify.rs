//! A check in the reader's browser, so that nobody has to take the server's word.

use leptos::prelude::*;

use crate::text::text;

/// What is checked.
#[derive(Clone, Copy)]
pub(crate) enum Checked {
    /// The evidence of a run.
    Evidence,
    /// A stretch of the hash chain.
    Chain,
}

/// The place of the check. `verify.js` fills it; without scripts there is none, and the server's own check stays.
#[component]
pub(crate) fn BrowserCheck(
    /// What is checked.
    what: Checked,
    /// Where it comes from.
    href: String,
) -> impl IntoView {
    let kind = match what {
        Checked::Evidence => "evidence",
        Checked::Chain => "chain",
    };
    view! {
        <soit-verify data-kind=kind data-href=href data-words=text().audit.browser_check></soit-verify>
        <script type="module" src="/verify.js"></script>
    }
    .into_any()
}
