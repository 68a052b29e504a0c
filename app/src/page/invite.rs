//! `/invite`: accepts an invitation. A plain form like the one that signs in; `boot.js` fills in what stands behind the `#`,
//! which no server sees, and without scripts it is pasted.

use leptos::prelude::*;
use leptos_meta::Title;
use types::problem::Code;

use crate::component::{BrandMark, params};
use crate::query::Params;
use crate::route;
use crate::text::text;

/// The page that accepts an invitation.
#[component]
pub(crate) fn Invite() -> impl IntoView {
    let access = &text().access;
    let params = params().get();
    let error = params.get("error").and_then(|code| code.parse::<Code>().ok());
    view! {
        <Title text=access.accept_title />
        <main class="gate" id="main">
            <div class="gate-card">
                <BrandMark large=true />
                <h1>{access.accept_title}</h1>
                <p>{access.accept_text}</p>
                {error.map(|code| view! { <Refused code=code /> })}
                <form class="form" method="post" action=route::INVITE_POST>
                    <Line
                        field="token"
                        label=access.token
                        hint=access.token_hint
                        kind="text"
                        autocomplete="off"
                        required=true
                    />
                    <Line field="name" label=text().common.name hint=access.name_hint kind="text" autocomplete="name" />
                    <Line
                        field="password"
                        label=text().sign_in.password
                        hint=access.password_hint
                        kind="password"
                        autocomplete="new-password"
                    />
                    <div class="form-actions">
                        <button class="btn btn--primary" type="submit" data-testid="submit">
                            {access.accept}
                        </button>
                    </div>
                </form>
                <p class="muted">
                    {access.has_account} " " <a class="link" href=sign_in()>
                        {text().sign_in.submit}
                    </a>
                </p>
            </div>
        </main>
    }
    .into_any()
}

fn sign_in() -> String {
    Params::default().with("next", route::INVITE).at(route::SIGN_IN)
}

#[component]
fn Refused(code: Code) -> impl IntoView {
    let text = text();
    view! {
        <div class="form-summary" role="alert" data-testid="form-summary" data-code=code.as_str()>
            <h2>{(text.problem.title)(code)}</h2>
            {(text.access.refused)(code).map(|reason| view! { <p>{reason}</p> })}
        </div>
    }
    .into_any()
}

/// One field of the form.
#[component]
fn Line(
    field: &'static str,
    label: &'static str,
    hint: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    #[prop(optional)] required: bool,
) -> impl IntoView {
    let described = format!("{field}-hint");
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
                required=required
                autocomplete=autocomplete
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
