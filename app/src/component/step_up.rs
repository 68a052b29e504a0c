//! Asks for the password again, where an action wants a fresh proof of identity.

use leptos::prelude::*;

use super::form::{Look, Post};
use super::{FormState, Notice, Submit, Tone};
use crate::function::StepUp;
use crate::text::text;

/// Asks for the password again; afterwards the action can be repeated for ten minutes.
#[component]
pub(crate) fn StepUpForm() -> impl IntoView {
    let text = &text().problem;
    let action = ServerAction::<StepUp>::new();
    let form = FormState::of(action);
    let done = move || action.value().with(|value| matches!(value, Some(Ok(()))));
    let wrong = form.wrong_at_all();
    view! {
        <Show when=done>
            <Notice tone=Tone::Allow text=text.step_up_done />
        </Show>
        <Show when=move || !done()>
            <div class="notice" data-tone="ask" data-testid="step-up">
                <Post action=action class="stack">
                    <p>{text.step_up}</p>
                    {move || wrong.get().map(|message| view! { <p class="field-error">{message}</p> })}
                    <div class="row">
                        <input
                            class="input"
                            type="password"
                            name="password"
                            required=true
                            autocomplete="current-password"
                            aria-label=text.password
                        />
                        <Submit label=text.step_up_submit look=Look::Plain />
                    </div>
                </Post>
            </div>
        </Show>
    }
    .into_any()
}
