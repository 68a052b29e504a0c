//! Asks for the password or a code again, where an action wants a fresh proof of identity.

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use types::problem::Code;

use super::form::{Look, Post};
use super::{FormState, Frame, Notice, Submit, Tone};
use crate::function::StepUp;
use crate::query::Params;
use crate::route;
use crate::text::text;

/// Asks for the password again, or for a code of who has a second factor; afterwards the action can be repeated for ten minutes.
#[component]
pub(crate) fn StepUpForm(
    /// How that went, where it was asked for without scripts.
    #[prop(optional_no_strip)]
    proven: Option<Result<(), Code>>,
    /// Whether its reader has no password, and so signs in to their identity provider again.
    #[prop(optional)]
    by_provider: bool,
) -> impl IntoView {
    let text = &text().problem;
    let action = ServerAction::<StepUp>::new();
    let form = FormState::of(action);
    let done = move || proven == Some(Ok(())) || action.value().with(|value| matches!(value, Some(Ok(()))));
    let wrong = move || match form.refused_as().or_else(|| proven?.err())? {
        Code::InvalidCredentials => Some(text.wrong_password.to_owned()),
        code => Some((text.title)(code)),
    };
    let page = this_page();
    view! {
        <Show when=done>
            <Notice tone=Tone::Allow text=text.step_up_done />
        </Show>
        <Show when=move || !done()>
            <div class="notice" data-tone="ask" data-testid="step-up">
                <Post action=action class="stack" page=page.clone()>
                    <p>{if by_provider { text.step_up_provider } else { text.step_up }}</p>
                    {move || wrong().map(|message| view! { <p class="field-error">{message}</p> })}
                    <div class="row">
                        {by_provider.then(|| view! { <ProviderLink /> })}
                        {(!by_provider)
                            .then(|| {
                                view! {
                                    <input
                                        class="input"
                                        type="password"
                                        name="password"
                                        autocomplete="current-password"
                                        aria-label=text.password
                                    />
                                }
                            })}
                        <CodeField submits=by_provider />
                        {(!by_provider).then(|| view! { <Submit label=text.step_up_submit look=Look::Plain /> })}
                    </div>
                </Post>
            </div>
        </Show>
    }
    .into_any()
}

/// The address of the page, with the refusal in it: what was typed is shown again.
fn this_page() -> String {
    let page = use_location();
    Params::parse(&page.search.get_untracked()).at(&page.pathname.get_untracked())
}

/// Leads to the provider, beside the page: what is typed on it stays.
#[component]
pub(crate) fn ProviderLink() -> impl IntoView {
    let href = Params::default().with("next", &this_page()).at(route::SSO_STEP_UP);
    view! {
        <a class="btn" href=href rel="external" target="_blank" data-testid="step-up-provider">
            {text().problem.step_up_go}
        </a>
    }
    .into_any()
}

/// The other way, for who has it; with a button of its own where nothing else is sent.
#[component]
fn CodeField(submits: bool) -> impl IntoView {
    let problem = &text().problem;
    let label = problem.step_up_code;
    use_context::<Frame>().map(|frame| {
        frame.around(move |place| {
            let field = || {
                view! {
                    <input
                        class="input input--mono"
                        type="text"
                        name="code"
                        autocomplete="one-time-code"
                        aria-label=label
                        placeholder=label
                    />
                    {submits.then(|| view! { <Submit label=problem.step_up_submit look=Look::Plain /> })}
                }
            };
            place.shell.me.second_factor.then(field).into_any()
        })
    })
}
