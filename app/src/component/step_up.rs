//! Asks for the password or a code again, where an action wants a fresh proof of identity.

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use types::problem::Code;

use super::form::{Look, Post};
use super::{FormState, Frame, Notice, Submit, Tone};
use crate::function::StepUp;
use crate::query::Params;
use crate::text::text;

/// Asks for the password again, or for a code of who has a second factor; afterwards the action can be repeated for ten minutes.
#[component]
pub(crate) fn StepUpForm(
    /// How that went, where it was asked for without scripts.
    #[prop(optional_no_strip)]
    proven: Option<Result<(), Code>>,
) -> impl IntoView {
    let text = &text().problem;
    let action = ServerAction::<StepUp>::new();
    let form = FormState::of(action);
    let done = move || proven == Some(Ok(())) || action.value().with(|value| matches!(value, Some(Ok(()))));
    let wrong = move || match form.refused_as().or_else(|| proven?.err())? {
        Code::InvalidCredentials => Some(text.wrong_password.to_owned()),
        code => Some((text.title)(code)),
    };
    // With the refusal in it: what was typed is shown again.
    let page = use_location();
    let page = Params::parse(&page.search.get_untracked()).at(&page.pathname.get_untracked());
    view! {
        <Show when=done>
            <Notice tone=Tone::Allow text=text.step_up_done />
        </Show>
        <Show when=move || !done()>
            <div class="notice" data-tone="ask" data-testid="step-up">
                <Post action=action class="stack" page=page.clone()>
                    <p>{text.step_up}</p>
                    {move || wrong().map(|message| view! { <p class="field-error">{message}</p> })}
                    <div class="row">
                        <input
                            class="input"
                            type="password"
                            name="password"
                            autocomplete="current-password"
                            aria-label=text.password
                        />
                        <CodeField />
                        <Submit label=text.step_up_submit look=Look::Plain />
                    </div>
                </Post>
            </div>
        </Show>
    }
    .into_any()
}

/// The other way, for who has it.
#[component]
fn CodeField() -> impl IntoView {
    let label = text().problem.step_up_code;
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
                }
            };
            place.shell.me.second_factor.then(field).into_any()
        })
    })
}
