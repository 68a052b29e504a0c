//! Prompts, answers and errors as the ledger keeps them; what is not kept is said, with the reason.

use leptos::prelude::*;
use types::id::RunId;
use types::problem::Code;
use types::run::{Capture, Content, Failure};

use super::{Code as CodeBlock, Icon, IconView, Notice, Tone, use_frame};
use crate::format;
use crate::route;
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
    /// Whose it is; of a run the whole can be had where it is kept.
    #[prop(optional)]
    run_id: Option<RunId>,
) -> impl IntoView {
    let run = &text().run;
    let Content { preview, chars, artifact_id } = content;
    let whole = run_id
        .zip(artifact_id)
        .and_then(|(run_id, id)| Some(route::artifact(&use_frame().slug().get_untracked()?, run_id, id)));
    match preview.filter(|preview| !preview.is_empty()) {
        Some(preview) => {
            let kept = u64::try_from(preview.chars().count()).unwrap_or(u64::MAX);
            let (shown, all) = (format::count(kept), format::count(chars));
            let cut = (kept < chars).then(|| match whole {
                Some(href) => view! {
                    {(run.chars_shown)(&shown, &all)}
                    " "
                    <a class="link" href=href rel="external" download="">
                        {run.whole}
                    </a>
                }
                .into_any(),
                None => (run.chars_of)(&shown, &all).into_any(),
            });
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
