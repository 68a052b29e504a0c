//! Where the second factor stands, and what can be done about it.

use leptos::prelude::*;
use types::mfa::{Mfa, MfaLevel};
use types::problem::{Code, Problem};

use super::{ActButton, CodeField, ConfirmForm};
use crate::backend::{
    self,
    second_factor::{Act, Done},
};
use crate::component::{Look, Moment, Notice, ProviderLink, Tone};
use crate::text::text;

/// Where it stands.
#[component]
pub(super) fn Manage(mfa: Mfa, done: Option<Done>, next: String) -> impl IntoView {
    let text = &text().second_factor;
    let refused = match &done {
        Some(Done::Refused(act, problem)) => Some((*act, (**problem).clone())),
        _ => None,
    };
    let told = match &done {
        Some(Done::Proven) => Some(text.proven),
        Some(Done::Disabled) => Some(text.disabled),
        _ => None,
    };
    let asks_proof =
        refused.as_ref().is_some_and(|(act, problem)| *act == Act::Prove || problem.code == Code::StepUpRequired);
    let by_provider = refused.as_ref().is_some_and(|(_, problem)| problem.reason.is_some());
    // A session from before the second factor, or from another one.
    let is_behind = mfa.enabled && mfa.session == MfaLevel::None;
    let since = mfa.enabled_at.map(|at| view! { <Moment at=at /> });
    view! {
        {refused.map(|(act, problem)| view! { <Refused act=act problem=problem /> })}
        {told.map(|told| view! { <Notice tone=Tone::Allow text=told /> })}
        <p data-testid="state" data-state=if mfa.enabled { "on" } else { "off" }>
            {if mfa.enabled { text.on } else { text.off }} " " {since}
        </p>
        {(is_behind && !asks_proof).then(|| view! { <p>{text.behind}</p> })}
        {(asks_proof || is_behind).then(|| view! { <Proof has_code=mfa.enabled by_provider=by_provider /> })}
        {mfa.pending.then(|| view! { <p>{text.pending}</p> <ConfirmForm /> })}
        <div class="stack">
            <Acts mfa=mfa.clone() />
        </div>
        <p>
            <a class="link" href=next rel="external" data-testid="continue">
                {text.go_on}
            </a>
        </p>
    }
    .into_any()
}

#[component]
fn Acts(mfa: Mfa) -> impl IntoView {
    let text = &text().second_factor;
    let set_up = if mfa.enabled { (text.set_up_anew, Look::Plain) } else { (text.set_up, Look::Primary) };
    let left = (text.left)(mfa.recovery_codes_left);
    view! {
        <ActButton act=Act::SetUp label=set_up.0 look=set_up.1 />
        {mfa
            .enabled
            .then(|| {
                view! {
                    <p class="field-hint">{left}</p>
                    <ActButton act=Act::Renew label=text.renew />
                    {if mfa.enforced {
                        view! { <p class="field-hint">{text.enforced}</p> }.into_any()
                    } else {
                        view! { <ActButton act=Act::Disable label=text.disable look=Look::Danger /> }.into_any()
                    }}
                }
            })}
    }
    .into_any()
}

/// Why a form was refused.
#[component]
fn Refused(act: Act, problem: Problem) -> impl IntoView {
    backend::set_status(problem.status);
    let text = text();
    let title = match (problem.code, act) {
        (Code::InvalidCredentials, Act::Prove) => text.problem.wrong_password.to_owned(),
        (code, _) => (text.problem.title)(code),
    };
    let wait = problem.retry_after.map(|seconds| (text.problem.retry_after)(seconds));
    view! {
        <div class="form-summary" role="alert" data-testid="form-summary" data-code=problem.code.as_str()>
            <h2>{title}</h2>
            {wait.map(|wait| view! { <p>{wait}</p> })}
        </div>
    }
    .into_any()
}

/// Proves who asks, by code, at the identity provider, or by password.
#[component]
fn Proof(has_code: bool, by_provider: bool) -> impl IntoView {
    let (problem, text) = (&text().problem, &text().second_factor);
    if by_provider && !has_code {
        return view! {
            <p>{problem.step_up_provider}</p>
            <ProviderLink />
        }
        .into_any();
    }
    view! {
        <form class="form" method="post" data-testid="proof">
            <input type="hidden" name=Act::FIELD value=Act::Prove.as_str() />
            {if has_code {
                view! { <CodeField id="proof" label=text.code hint=text.any_code_hint /> }.into_any()
            } else {
                view! { <Password label=problem.password /> }.into_any()
            }}
            <div class="form-actions">
                <button class="btn btn--primary" type="submit" data-testid="prove">
                    {problem.step_up_submit}
                </button>
            </div>
        </form>
    }
    .into_any()
}

#[component]
fn Password(label: &'static str) -> impl IntoView {
    view! {
        <div class="field">
            <label class="field-label" for="password">
                {label}
            </label>
            <input
                class="input"
                id="password"
                name="password"
                type="password"
                required=true
                autocomplete="current-password"
            />
        </div>
    }
    .into_any()
}
