//! Prompts, answers and errors as the ledger keeps them; what is not kept is said, with the reason.

use leptos::prelude::*;
use types::problem::Code;
use types::run::{Capture, Content, Failure};

use super::{Code as CodeBlock, Icon, IconView, Notice, Tone};
use crate::format;
use crate::text::text;

/// What went in or came out.
#[component]
pub(crate) fn ContentView(
    /// Input or output.
    title: &'static str,
    /// The content.
    content: Content,
    /// How much of it the run keeps.
    capture: Capture,
) -> impl IntoView {
    let run = &text().run;
    let Content { preview, chars } = content;
    match preview.filter(|preview| !preview.is_empty()) {
        Some(preview) => {
            let kept = u64::try_from(preview.chars().count()).unwrap_or(u64::MAX);
            let cut = (kept < chars).then(|| (run.chars_of)(&format::count(kept), &format::count(chars)));
            view! {
                <CodeBlock title=title code=preview wrap=true />
                {cut.map(|cut| view! { <p class="field-hint">{cut}</p> })}
            }
            .into_any()
        }
        None if chars > 0 && capture != Capture::Full => view! {
            <p class="withheld">
                <IconView icon=Icon::Hidden />
                {title}
                ": "
                {run.withheld}
                " "
                {(run.characters)(&format::count(chars))}
            </p>
        }
        .into_any(),
        None => view! {
            <p class="muted">
                {title} ": " {text().common.none}
            </p>
        }
        .into_any(),
    }
}

/// Why a run or step failed: the code in the reader's words, the case as the server wrote it.
#[component]
pub(crate) fn ErrorNotice(
    /// Why.
    error: Failure,
) -> impl IntoView {
    let title = match error.code.parse::<Code>() {
        Ok(code) => (text().problem.title)(code),
        // A word of the ledger, such as `process_lost`.
        Err(_) => error.code.replace('_', " "),
    };
    view! { <Notice tone=Tone::Deny text=title detail=error.message /> }.into_any()
}
