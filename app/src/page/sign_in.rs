//! `/sign-in`: a plain form, answered by the server with a redirect.

use leptos::prelude::*;
use leptos_meta::Title;
use types::identity::SsoConnection;
use types::problem::Code;

use super::next::safe_next;
use crate::component::{BrandMark, Notice, Tone, params};
use crate::prefs::Lang;
use crate::query::Params;
use crate::route;
use crate::text::text;
use crate::visit::visit;

/// The sign-in page.
#[component]
pub(crate) fn SignIn() -> impl IntoView {
    let text = text();
    let params = params().get();
    let error = params.get("error").and_then(|code| code.parse::<Code>().ok());
    let wait = params
        .get("retry_after")
        .filter(|seconds| seconds.bytes().all(|byte| byte.is_ascii_digit()))
        .map(text.sign_in.wait);
    let next = safe_next(params.get("next"));
    // Who was refused has only the password to type anew.
    let email = error.and_then(|_| visit().email.clone());
    let is_known = email.is_some();
    let is_reset = params.get("done") == Some("password_reset");
    let reason = params.get("reason").and_then(text.sso.reason);
    view! {
        <Title text=text.sign_in.submit />
        <main class="gate" id="main">
            <div class="gate-card">
                <BrandMark large=true />
                <h1>{text.sign_in.title}</h1>
                {error
                    .map(|code| {
                        view! {
                            <div class="form-summary" role="alert" data-testid="form-summary" data-code=code.as_str()>
                                <h2>{(text.problem.title)(code)}</h2>
                                {reason.map(|reason| view! { <p>{reason}</p> })}
                                {wait.map(|wait| view! { <p>{wait}</p> })}
                            </div>
                        }
                    })}
                {is_reset.then(|| view! { <Notice tone=Tone::Allow text=text.account.password_set /> })}
                <form class="form" method="post" action=route::SIGN_IN_POST>
                    <input type="hidden" name="next" value=next.clone() />
                    <div class="field">
                        <label class="field-label" for="email">
                            {text.sign_in.email}
                        </label>
                        <input
                            class="input"
                            id="email"
                            name="email"
                            type="email"
                            value=email
                            required=true
                            autocomplete="username"
                            autofocus=!is_known
                        />
                    </div>
                    <div class="field">
                        <label class="field-label" for="password">
                            {text.sign_in.password}
                        </label>
                        <input
                            class="input"
                            id="password"
                            name="password"
                            type="password"
                            required=true
                            autocomplete="current-password"
                            autofocus=is_known
                        />
                    </div>
                    <div class="form-actions">
                        <button class="btn btn--primary" type="submit" data-testid="submit">
                            {text.sign_in.submit}
                        </button>
                    </div>
                </form>
                <Providers next=next />
                <Otherwise />
            </div>
            <Languages params=params />
        </main>
    }
    .into_any()
}

/// The identity providers one may sign in with: links, for a form may not lead away from here.
#[component]
fn Providers(next: String) -> impl IntoView {
    let text = &text().sso;
    let link = |provider: &SsoConnection| {
        let href = Params::default().with("next", &next).at(&provider.start_url);
        view! {
            <a class="btn" href=href rel="external" data-testid="sso">
                {(text.sign_in_with)(&provider.label)}
            </a>
        }
    };
    let links = visit().sso.iter().map(link).collect_view();
    view! { <div class="stack">{links}</div> }.into_any()
}

/// What else there is for who cannot sign in, where the deployment offers it.
#[component]
fn Otherwise() -> impl IntoView {
    let account = &text().account;
    let visit = visit();
    let link = |href: &'static str, label: &'static str| {
        view! {
            <a class="link" href=href>
                {label}
            </a>
        }
    };
    view! {
        {visit.password_reset.then(|| view! { <p class="muted">{link(route::FORGOT_PASSWORD, account.forgot)}</p> })}
        {visit.registration.then(|| view! { <p class="muted">{link(route::REGISTER, account.register_title)}</p> })}
    }
    .into_any()
}

/// The language, before anyone has signed in.
#[component]
fn Languages(params: Params) -> impl IntoView {
    let present = visit().lang;
    let item = |lang: &Lang| {
        let name = match lang {
            Lang::En => "English",
            Lang::ZhCn => "简体中文",
        };
        view! {
            <button
                class="btn btn--quiet btn--sm"
                name="lang"
                value=lang.as_str()
                lang=lang.as_str()
                aria-current=(*lang == present).then_some("true")
            >
                {name}
            </button>
        }
    };
    view! {
        <form class="gate-foot" method="post" action=route::PREFS_POST aria-label=text().sign_in.language>
            <input type="hidden" name="next" value=params.at(route::SIGN_IN) />
            {Lang::ALL.iter().map(item).collect_view()}
        </form>
    }
    .into_any()
}
