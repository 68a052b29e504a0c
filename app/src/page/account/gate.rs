//! What these pages have in common: the card, its refusal, its fields.

use leptos::prelude::*;
use leptos_meta::Title;
use types::problem::Code;

use crate::component::{BrandMark, Notice, Tone};
use crate::query::Params;
use crate::route;
use crate::text::text;

/// The card of a page, with the way back to sign in.
#[component]
pub(super) fn Gate(
    /// What the page is for.
    title: &'static str,
    /// The same in a sentence.
    hint: &'static str,
    /// The address: `error` names why the form came back.
    params: Params,
    /// The form, or what became of it.
    children: Children,
) -> impl IntoView {
    let error = params.get("error").and_then(|code| code.parse::<Code>().ok());
    view! {
        <Title text=title />
        <main class="gate" id="main">
            <div class="gate-card">
                <BrandMark large=true />
                <h1>{title}</h1>
                <p>{hint}</p>
                {error.map(|code| view! { <Refused code=code /> })}
                {children()}
                <p class="muted">
                    <a class="link" href=route::SIGN_IN>
                        {text().account.to_sign_in}
                    </a>
                </p>
            </div>
        </main>
    }
    .into_any()
}

#[component]
fn Refused(code: Code) -> impl IntoView {
    let text = text();
    view! {
        <div class="form-summary" role="alert" data-testid="form-summary" data-code=code.as_str()>
            <h2>{(text.problem.title)(code)}</h2>
            {(text.account.refused)(code).map(|reason| view! { <p>{reason}</p> })}
        </div>
    }
    .into_any()
}

/// That something was done.
#[component]
pub(super) fn Done(words: &'static str) -> impl IntoView {
    view! { <Notice tone=Tone::Allow text=words /> }.into_any()
}

/// One field of a form. Empty hints are left out.
#[component]
pub(super) fn Line(
    field: &'static str,
    label: &'static str,
    #[prop(optional)] hint: &'static str,
    #[prop(default = "text")] kind: &'static str,
    autocomplete: &'static str,
) -> impl IntoView {
    let described = (!hint.is_empty()).then(|| format!("{field}-hint"));
    view! {
        <div class="field">
            <label class="field-label" for=field>
                {label}
            </label>
            <input
                class="input"
                id=field
                name=field
                type=kind
                required=true
                autocomplete=autocomplete
                spellcheck="false"
                aria-describedby=described.clone()
            />
            {described
                .map(|id| {
                    view! {
                        <p class="field-hint" id=id>
                            {hint}
                        </p>
                    }
                })}
        </div>
    }
    .into_any()
}

/// The token of a link.
#[component]
pub(super) fn TokenLine() -> impl IntoView {
    let account = &text().account;
    view! { <Line field="token" label=account.code hint=account.code_hint autocomplete="off" /> }.into_any()
}

/// A new password, twice.
#[component]
pub(super) fn PasswordLines() -> impl IntoView {
    let settings = &text().settings;
    view! {
        <Line
            field="password"
            label=settings.new_password
            hint=settings.new_password_hint
            kind="password"
            autocomplete="new-password"
        />
        <Line field="repeated" label=settings.repeated kind="password" autocomplete="new-password" />
    }
    .into_any()
}

/// The button of a form.
#[component]
pub(super) fn Send(label: &'static str) -> impl IntoView {
    view! {
        <div class="form-actions">
            <button class="btn btn--primary" type="submit" data-testid="submit">
                {label}
            </button>
        </div>
    }
    .into_any()
}
