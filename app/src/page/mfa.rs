//! `/mfa`: the second step of a sign-in. A plain form like the first one.

use leptos::prelude::*;
use leptos_meta::Title;
use types::problem::Code;

use super::next::safe_next;
use crate::component::{BrandMark, params};
use crate::query::Params;
use crate::route;
use crate::text::text;

/// The page that asks for a code.
#[component]
pub(crate) fn Mfa() -> impl IntoView {
    let text = text();
    let params = params().get();
    let error = params.get("error").and_then(|code| code.parse::<Code>().ok());
    let wait = params
        .get("retry_after")
        .filter(|seconds| seconds.bytes().all(|byte| byte.is_ascii_digit()))
        .map(text.sign_in.wait);
    let next = safe_next(params.get("next"));
    let start = Params::default().with("next", &next).at(route::SIGN_IN);
    view! {
        <Title text=text.sign_in.code_title />
        <main class="gate" id="main">
            <div class="gate-card">
                <BrandMark large=true />
                <h1>{text.sign_in.code_title}</h1>
                {error
                    .map(|code| {
                        view! {
                            <div class="form-summary" role="alert" data-testid="form-summary" data-code=code.as_str()>
                                <h2>{(text.problem.title)(code)}</h2>
                                {wait.map(|wait| view! { <p>{wait}</p> })}
                            </div>
                        }
                    })}
                <form class="form" method="post" action=route::MFA_POST>
                    <input type="hidden" name="next" value=next />
                    <div class="field">
                        <label class="field-label" for="code">
                            {text.sign_in.code}
                        </label>
                        <input
                            class="input input--mono"
                            id="code"
                            name="code"
                            type="text"
                            required=true
                            autocomplete="one-time-code"
                            autofocus=true
                            spellcheck="false"
                            aria-describedby="code-hint"
                        />
                        <p class="field-hint" id="code-hint">
                            {text.sign_in.code_hint}
                        </p>
                    </div>
                    <div class="form-actions">
                        <button class="btn btn--primary" type="submit" data-testid="submit">
                            {text.sign_in.submit}
                        </button>
                    </div>
                </form>
                <p class="muted">
                    <a class="link" href=start>
                        {text.sign_in.start_again}
                    </a>
                </p>
            </div>
        </main>
    }
    .into_any()
}
