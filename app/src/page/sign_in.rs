//! `/sign-in`: a plain form, answered by the server with a redirect.

use leptos::prelude::*;
use leptos_meta::Title;
use types::problem::Code;

use crate::component::{BrandMark, params};
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
                                {wait.map(|wait| view! { <p>{wait}</p> })}
                            </div>
                        }
                    })}
                <form class="form" method="post" action=route::SIGN_IN_POST>
                    <input type="hidden" name="next" value=next />
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
            </div>
            <Languages params=params />
        </main>
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

/// Where to go afterwards: a path of this console, never another site.
fn safe_next(next: Option<&str>) -> String {
    let safe = |path: &&str| {
        path.starts_with('/') && !path.starts_with("//") && !path.contains('\\') && !path.chars().any(char::is_control)
    };
    next.filter(safe).unwrap_or("/").to_owned()
}

#[cfg(test)]
mod tests {
    use super::safe_next;

    #[test]
    fn only_paths_of_this_console_are_followed() {
        assert_eq!(safe_next(Some("/w/main/runs?q=x")), "/w/main/runs?q=x");
        for other in
            [None, Some("//evil.example"), Some("https://evil.example"), Some("/\\evil"), Some("/a\nb"), Some("")]
        {
            assert_eq!(safe_next(other), "/", "{other:?}");
        }
    }
}
