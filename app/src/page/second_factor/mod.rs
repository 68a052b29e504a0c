//! `/second-factor`: one's authenticator app and recovery codes. Outside of any workspace, so that it is reached where one is
//! not let in without. Its forms are posted to itself, and what is shown once stands in that answer alone.

mod codes;
mod manage;
mod set_up;

use leptos::prelude::*;
use leptos_meta::Title;

use crate::backend::second_factor::{Act, Done, Shown as View};
use crate::component::{BrandMark, Failure, Look, params};
use crate::function::find_second_factor;
use crate::page::next::safe_next;
use crate::resource::resource;
use crate::text::text;

use codes::Codes;
use manage::Manage;
use set_up::SetUp;

/// One's second factor.
#[component]
pub(crate) fn SecondFactor() -> impl IntoView {
    let shown = resource(|| (), |()| find_second_factor());
    view! {
        <Title text=text().second_factor.title />
        <main class="gate" id="main">
            <div class="gate-card">
                <BrandMark large=true />
                <Suspense>
                    {move || Suspend::new(async move {
                        match shown.await {
                            Ok(shown) => view! { <Shown shown=shown /> }.into_any(),
                            Err(error) => view! { <Failure error=error whole=true /> }.into_any(),
                        }
                    })}
                </Suspense>
            </div>
        </main>
    }
    .into_any()
}

#[component]
fn Shown(shown: View) -> impl IntoView {
    let next = safe_next(params().get_untracked().get("next"));
    let body = match shown.done {
        Some(Done::SetUp(setup)) => view! { <SetUp setup=setup /> }.into_any(),
        Some(Done::Codes(codes)) => view! { <Codes codes=codes.recovery_codes next=next /> }.into_any(),
        done => view! { <Manage mfa=shown.mfa done=done next=next /> }.into_any(),
    };
    view! {
        <h1>{text().second_factor.title}</h1>
        {body}
    }
    .into_any()
}

/// A form that is one button.
#[component]
fn ActButton(act: Act, label: &'static str, #[prop(default = Look::Plain)] look: Look) -> impl IntoView {
    view! {
        <form method="post">
            <button class=look.class() type="submit" name=Act::FIELD value=act.as_str() data-testid=act.as_str()>
                {label}
            </button>
        </form>
    }
    .into_any()
}

/// The form that takes a code of the app that was set up.
#[component]
fn ConfirmForm() -> impl IntoView {
    let text = &text().second_factor;
    view! {
        <form class="form" method="post" data-testid="confirm-form">
            <input type="hidden" name=Act::FIELD value=Act::Confirm.as_str() />
            <CodeField id="code" label=text.code hint=text.code_hint />
            <div class="form-actions">
                <button class="btn btn--primary" type="submit" data-testid="confirm">
                    {text.confirm}
                </button>
            </div>
        </form>
    }
    .into_any()
}

/// The field of a code. Its id is its own: two of them may stand on the page.
#[component]
fn CodeField(id: &'static str, label: &'static str, hint: &'static str) -> impl IntoView {
    let described = format!("{id}-hint");
    view! {
        <div class="field">
            <label class="field-label" for=id>
                {label}
            </label>
            <input
                class="input input--mono"
                id=id
                name="code"
                type="text"
                required=true
                autocomplete="one-time-code"
                spellcheck="false"
                aria-describedby=described.clone()
            />
            <p class="field-hint" id=described>
                {hint}
            </p>
        </div>
    }
    .into_any()
}
