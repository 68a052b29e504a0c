//! What stands where something could not be shown: not found, denied, signed out, failed.

use leptos::prelude::*;
use leptos_meta::Title;
use types::problem::{Code, Problem};

use super::frame::here;
use super::{Empty, Icon, IconView, Id};
use crate::backend;
use crate::error::AppError;
use crate::query::Params;
use crate::route;
use crate::text::text;

/// What stands where something could not be shown.
#[component]
pub(crate) fn Failure(
    /// Why.
    error: AppError,
    /// It is what the page is about, so the page answers with its status.
    #[prop(optional)]
    whole: bool,
    /// Asks once more for what is missing, where that is less than the page.
    #[prop(optional_no_strip)]
    again: Option<Callback<()>>,
) -> impl IntoView {
    let problem = error.problem;
    if whole {
        backend::set_status(problem.status);
    }
    let title = whole.then(|| view! { <Title text=(text().problem.title)(problem.code) /> });
    let reason = match problem.status {
        401 => view! { <SignedOut whole=whole /> }.into_any(),
        403 if problem.code == Code::MfaRequired => view! { <SecondFactorNeeded whole=whole /> }.into_any(),
        403 if problem.errors.is_empty() && whole => view! { <Denied problem=problem /> }.into_any(),
        404 => view! { <NothingHere whole=whole /> }.into_any(),
        _ => view! { <Failed problem=problem whole=whole again=again /> }.into_any(),
    };
    view! {
        {title}
        {reason}
    }
    .into_any()
}

/// The page for an address that leads nowhere.
#[component]
pub(crate) fn NotFound() -> impl IntoView {
    backend::set_status(404);
    view! {
        <Title text=text().problem.not_found />
        <div class="page">
            <NothingHere whole=true />
        </div>
    }
    .into_any()
}

/// The same outside of any workspace, where no shell stands around it.
#[component]
pub(crate) fn Nowhere() -> impl IntoView {
    view! {
        <main class="main" id="main">
            <NotFound />
        </main>
    }
    .into_any()
}

#[component]
fn NothingHere(whole: bool) -> impl IntoView {
    let text = &text().problem;
    view! {
        <Empty icon=Icon::Search title=text.not_found text=text.not_found_text whole=whole>
            <a class="btn" href="/">
                {text.go_home}
            </a>
        </Empty>
    }
    .into_any()
}

#[component]
fn Denied(problem: Problem) -> impl IntoView {
    let text = &text().problem;
    view! {
        <Empty icon=Icon::Denied title=text.denied text=format!("{} {}", text.denied_text, reason(&problem)) whole=true>
            <a class="btn" href="/">
                {text.go_home}
            </a>
        </Empty>
    }
    .into_any()
}

/// The workspace is closed to who has no second factor: the way leads to setting one up, and back.
#[component]
fn SecondFactorNeeded(whole: bool) -> impl IntoView {
    let text = &text().second_factor;
    let href = Params::default().with("next", &here()).at(route::SECOND_FACTOR);
    view! {
        <Empty icon=Icon::Denied title=text.needed text=text.needed_text whole=whole>
            <a class="btn btn--primary" href=href rel="external" data-testid="second-factor">
                {text.title}
            </a>
        </Empty>
    }
    .into_any()
}

/// Why, and who can help: the permission that is missing and who has it, else the server's own words.
pub(super) fn reason(problem: &Problem) -> String {
    match &problem.permission {
        Some(missing) => (text().problem.needs)(&missing.action, &missing.roles),
        None => sentence(&problem.detail),
    }
}

/// The server's words as a sentence: with a capital, unless they begin with something that is spelled as it is, like an id.
fn sentence(words: &str) -> String {
    let first = words.split(' ').next().unwrap_or_default();
    let mut letters = words.chars();
    match letters.next() {
        Some(letter) if first.chars().all(|letter| letter.is_ascii_lowercase()) => {
            format!("{}{}", letter.to_ascii_uppercase(), letters.as_str())
        }
        _ => words.to_owned(),
    }
}

#[component]
fn SignedOut(whole: bool) -> impl IntoView {
    let text = text();
    view! {
        <Empty icon=Icon::User title=text.sign_in.signed_out text=text.problem.sign_in_hint whole=whole>
            <a class="btn btn--primary" href=sign_in_here() target="_blank">
                {text.problem.sign_in_again}
            </a>
        </Empty>
    }
    .into_any()
}

/// The sign-in page, leading back here.
pub(super) fn sign_in_here() -> String {
    Params::default().with("next", &here()).at(route::SIGN_IN)
}

#[component]
fn Failed(problem: Problem, whole: bool, again: Option<Callback<()>>) -> impl IntoView {
    let text = &text().problem;
    let retry = move |event: leptos::ev::MouseEvent| {
        if let Some(again) = again {
            event.prevent_default();
            again.run(());
        }
    };
    let title = (text.title)(problem.code);
    let title = if whole { view! { <h1>{title}</h1> }.into_any() } else { view! { <h3>{title}</h3> }.into_any() };
    let retry_after = problem.retry_after.map(|seconds| (text.retry_after)(seconds));
    view! {
        <div class="error-panel" role="alert" data-testid="failure" data-code=problem.code.as_str()>
            <IconView icon=Icon::Error />
            <div>
                {title}
                <p>{reason(&problem)} {retry_after.map(|wait| format!(" {wait}"))}</p>
                {problem
                    .instance
                    .map(|id| view! { <p class="muted">{text.request} " " <Id id=id copy=true /></p> })}
            </div>
            // A full load: it works without scripts, and after they failed.
            <a class="btn btn--sm" href=here() rel="external" on:click=retry data-testid="retry">
                {text.retry}
            </a>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_sentence_begins_with_a_capital_and_an_id_stays_as_it_is() {
        for (words, shown) in [
            ("the server does not answer", "The server does not answer"),
            ("run_0x does not exist", "run_0x does not exist"),
            ("`name` is missing", "`name` is missing"),
            ("", ""),
        ] {
            assert_eq!(sentence(words), shown);
        }
    }
}
