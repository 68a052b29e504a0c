//! Who one is, and one's password.

use leptos::prelude::*;

use super::Frame;
use crate::component::{Form, FormActions, Look, Notice, Place, TextField, Tone, told_action, use_frame};
use crate::function::{ChangePassword, UpdateMe};
use crate::route::Section;
use crate::text::text;

/// Who one is, and one's password.
#[component]
pub(super) fn Profile() -> impl IntoView {
    let frame = use_frame();
    let nothing = frame.resource(|| (), |_, ()| async { Ok(()) });
    frame.page(nothing, |place, ()| view! { <Shown place=place /> })
}

#[component]
fn Shown(place: Place) -> impl IntoView {
    let text = text();
    let user = place.shell.me.user.clone();
    let role = (text.word.role)(place.shell.workspace.role);
    view! {
        <Frame place=place section=Section::Profile>
            <dl class="dl">
                <dt>{text.settings.email}</dt>
                <dd>{user.email}</dd>
                <dt>{text.settings.role}</dt>
                <dd>{role}</dd>
            </dl>
            <Name name=user.name.to_string() />
            <Password />
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
