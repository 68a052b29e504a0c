//! Who one is, one's password and second factor.

use leptos::prelude::*;

use super::Frame;
use super::account::{Address, Closure};
use super::sso::Links;
use crate::backend::second_factor::Shown as SecondFactorState;
use crate::component::{Form, FormActions, Look, Moment, Notice, Place, TextField, Tone, told_action, use_frame};
use crate::function::{ChangePassword, UpdateMe, find_second_factor};
use crate::query::Params;
use crate::route::{self, Section};
use crate::text::text;

/// Who one is, one's password and second factor.
#[component]
pub(super) fn Profile() -> impl IntoView {
    let frame = use_frame();
    let factor = frame.resource(|| (), |_, ()| find_second_factor());
    frame.page(factor, |place, factor| view! { <Shown place=place factor=factor /> })
}

#[component]
fn Shown(place: Place, factor: SecondFactorState) -> impl IntoView {
    let text = text();
    let user = place.shell.me.user.clone();
    let role = (text.word.role)(place.shell.workspace.role);
    let here = place.at.settings(Section::Profile);
    let links = place.clone();
    view! {
        <Frame place=place section=Section::Profile>
            <dl class="dl">
                <dt>{text.settings.email}</dt>
                <dd>{user.email.clone()}</dd>
                <dt>{text.settings.role}</dt>
                <dd>{role}</dd>
            </dl>
            <Name name=user.name.to_string() />
            <Address user=user.clone() />
            <Password />
            <SecondFactor factor=factor here=here />
            <Links place=links />
            <Closure user=user />
        </Frame>
    }
    .into_any()
}

#[component]
fn Name(name: String) -> impl IntoView {
    let text = text();
    let action = told_action::<UpdateMe>(text.common.saved);
    let shell = use_frame().shell();
    Effect::new(move || {
        if action.value().with(|value| matches!(value, Some(Ok(_)))) {
            shell.refetch();
        }
    });
    view! {
        <Form action=action>
            <TextField
                field="name"
                label=text.common.name
                hint=text.settings.name_hint
                value=name
                autocomplete="name"
            />
            <FormActions label=text.common.save look=Look::Plain />
        </Form>
    }
    .into_any()
}

#[component]
fn Password() -> impl IntoView {
    let settings = &text().settings;
    let action = ServerAction::<ChangePassword>::new();
    let done = move || action.value().with(|value| matches!(value, Some(Ok(()))));
    view! {
        <section class="section" id="password">
            <header class="section-head">
                <h3>{settings.password}</h3>
            </header>
            <Show when=done>
                <Notice tone=Tone::Allow text=settings.password_changed />
            </Show>
            <Form action=action>
                <p class="field-hint">{settings.password_hint}</p>
                <TextField
                    field="current_password"
                    label=settings.current_password
                    kind="password"
                    autocomplete="current-password"
                />
                <TextField
                    field="new_password"
                    label=settings.new_password
                    hint=settings.new_password_hint
                    kind="password"
                    autocomplete="new-password"
                />
                <TextField
                    field="repeated"
                    label=settings.repeated
                    kind="password"
                    autocomplete="new-password"
                />
                <FormActions label=settings.change_password />
            </Form>
        </section>
    }
    .into_any()
}

#[component]
fn SecondFactor(factor: SecondFactorState, here: String) -> impl IntoView {
    let text = &text().second_factor;
    let mfa = factor.mfa;
    let since = mfa.enabled_at.map(|at| view! { <Moment at=at /> });
    let left = mfa.enabled.then(|| view! { <p class="field-hint">{(text.left)(mfa.recovery_codes_left)}</p> });
    let href = Params::default().with("next", &here).at(route::SECOND_FACTOR);
    view! {
        <section class="section" id="second-factor" data-testid="second-factor">
            <header class="section-head">
                <h3>{text.title}</h3>
            </header>
            <div class="stack">
                <p>{if mfa.enabled { text.on } else { text.off }} " " {since}</p>
                {left}
                <p>
                    <a class="btn" href=href rel="external">
                        {if mfa.enabled { text.manage } else { text.set_up }}
                    </a>
                </p>
            </div>
        </section>
    }
    .into_any()
}
