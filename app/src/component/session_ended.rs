//! Over a form whose session has ended: signs the same person in again, and the form is sent once more as it was.

use leptos::ev::SubmitEvent;
use leptos::html;
use leptos::prelude::*;
use types::problem::Code;

use super::{Place, use_frame};
use crate::browser;
use crate::route;
use crate::text::text;

/// Asks whose page it is for the password, and then does what waited for it. Somebody else has to leave the form.
#[component]
pub(super) fn SessionEnded(
    /// Whether it is needed.
    asked: RwSignal<bool>,
    /// What waited.
    then: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    move || {
        asked
            .get()
            .then(|| use_frame().around(move |place| view! { <Asking place=place asked=asked then=then /> }.into_any()))
    }
}

#[component]
fn Asking(place: Place, asked: RwSignal<bool>, then: impl Fn() + Copy + Send + Sync + 'static) -> impl IntoView {
    let text = text();
    let email = place.shell.me.user.email;
    let dialog = NodeRef::<html::Dialog>::new();
    let password = NodeRef::<html::Input>::new();
    let (wrong, set_wrong) = signal(None::<Code>);
    let (pending, set_pending) = signal(false);
    // The second step, once the first has asked for it.
    let (asks_code, set_asks_code) = signal(false);
    Effect::new(move || {
        if let Some(dialog) = dialog.get() {
            browser::enter_dialog(&dialog);
            on_cleanup(browser::leave_dialog);
        }
    });
    let meaning = (text.sign_in.ended_text)(&email);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let typed = password.get_untracked().map(|field| field.value()).unwrap_or_default();
        let email = email.clone();
        set_pending.set(true);
        leptos::task::spawn_local(async move {
            let answer = match asks_code.get_untracked() {
                true => browser::give_code(&typed).await,
                false => browser::sign_in(&email, &typed).await,
            };
            set_pending.set(false);
            let asks = answer == Err(Code::MfaRequired);
            if asks && let Some(field) = password.get_untracked() {
                field.set_value("");
            }
            set_asks_code.update(|asking| *asking = asks || *asking && answer != Err(Code::ChallengeExpired));
            set_wrong.set(answer.err().filter(|_| !asks));
            if answer.is_ok() {
                asked.set(false);
                then();
            }
        });
    };
    view! {
        <dialog
            class="dialog"
            node_ref=dialog
            aria-labelledby="ended-title"
            data-testid="session-ended"
            on:close=move |_| asked.set(false)
        >
            <h2 id="ended-title">{text.sign_in.ended}</h2>
            <form class="form" on:submit=submit>
                <div class="dialog-body">
                    <p>{meaning}</p>
                    <div class="field" data-invalid=move || wrong.get().map(|_| "")>
                        <label class="field-label" for="ended-password">
                            {move || if asks_code.get() { text.sign_in.code } else { text.sign_in.password }}
                        </label>
                        <input
                            class="input"
                            id="ended-password"
                            node_ref=password
                            type=move || if asks_code.get() { "text" } else { "password" }
                            required=true
                            autofocus=true
                            autocomplete=move || {
                                if asks_code.get() { "one-time-code" } else { "current-password" }
                            }
                            aria-describedby="ended-error"
                        />
                        <p class="field-error" id="ended-error" role="alert">
                            {move || wrong.get().map(text.problem.title)}
                        </p>
                    </div>
                </div>
                <div class="dialog-actions">
                    <a class="btn btn--quiet" href=route::SIGN_IN rel="external">
                        {text.sign_in.other}
                    </a>
                    <button class="btn" type="button" data-shortcut="Esc" on:click=move |_| asked.set(false)>
                        {text.common.cancel}
                    </button>
                    <button
                        class="btn btn--primary"
                        type="submit"
                        aria-busy=move || pending.get().then_some("true")
                        prop:disabled=move || pending.get()
                    >
                        {text.sign_in.submit}
                    </button>
                </div>
            </form>
        </dialog>
    }
    .into_any()
}
