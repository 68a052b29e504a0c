//! One connection: what the provider has to know, how it is tried out, changed and deleted.

use leptos::prelude::*;
use types::problem::Code;
use types::sso::OidcConnection;

use super::{Actions, Fields};
use crate::component::{
    ButtonForm, CopyButton, Deletion, Form, FormActions, FormState, FormSummary, Look, Notice, Tone, params,
};
use crate::form::SsoForm;
use crate::function::TestSsoConnection;
use crate::text::text;

/// One connection.
#[component]
pub(super) fn Connection(tenant: String, connection: OidcConnection, actions: Actions) -> impl IntoView {
    let (text, params) = (text(), params());
    let sso = &text.sso;
    let id = connection.id.to_string();
    let name = connection.label.to_string();
    let tested = ServerAction::<TestSsoConnection>::new();
    let sends = vec![("tenant", tenant), ("id", id.clone())];
    let at = params.get_untracked().without(&["new", "edit", "delete", "tested", "result"]);
    let (edit, delete) = (at.clone().with("edit", &id).here(), at.clone().with("delete", &id).here());
    let asks = move |what: &'static str, id: &str| params.with(|params| params.get(what) == Some(id));
    let told = StoredValue::new((id, name.clone(), sends.clone(), connection.clone(), at.here()));
    let outcome = move || {
        told.with_value(|(id, ..)| asks("tested", id)).then(|| {
            let result = params.with(|params| params.get("result").unwrap_or_default().to_owned());
            view! { <Outcome result=result /> }
        })
    };
    let editing = move || {
        told.with_value(|(id, ..)| asks("edit", id)).then(|| {
            let (_, _, mut sends, connection, back) = told.get_value();
            sends.push(("version", connection.version.to_string()));
            view! {
                <Form action=actions.updated sends=sends>
                    <Fields of=SsoForm::of(&connection) />
                    <FormActions label=text.common.save back=back />
                </Form>
            }
        })
    };
    let deletion = move || {
        told.with_value(|(id, ..)| asks("delete", id)).then(|| {
            let (_, name, sends, ..) = told.get_value();
            let title = text.common.delete.to_owned();
            view! {
                <Deletion
                    params=params
                    title=title
                    meaning=sso.delete_text
                    name=name
                    action=actions.deleted
                    sends=sends
                />
            }
        })
    };
    view! {
        <section class="section" data-testid="sso-connection">
            <header class="section-head">
                <h2>{name}</h2>
            </header>
            <dl class="dl">
                <dt>{sso.issuer}</dt>
                <dd>
                    <code>{connection.issuer}</code>
                </dd>
                <dt>{sso.redirect_uri}</dt>
                <dd>
                    <code>{connection.redirect_uri.clone()}</code>
                    " "
                    <CopyButton text_to_copy=connection.redirect_uri />
                </dd>
                <dt>{sso.backchannel_uri}</dt>
                <dd>
                    <code>{connection.backchannel_logout_uri.clone()}</code>
                    " "
                    <CopyButton text_to_copy=connection.backchannel_logout_uri />
                </dd>
            </dl>
            {outcome}
            <FormSummary form=FormState::of(tested) />
            <FormSummary form=FormState::of(actions.deleted) />
            <div class="row">
                <ButtonForm action=tested sends=sends label=sso.test look=Look::Small />
                <a class="btn btn--sm" href=edit data-noscroll="">
                    {text.common.edit}
                </a>
                <a class="btn btn--sm btn--danger" href=delete data-noscroll="" data-stays="">
                    {text.common.delete}
                </a>
            </div>
            {editing}
            {deletion}
        </section>
    }
    .into_any()
}

/// What a test came to: a problem's code, or that all is well.
#[component]
fn Outcome(result: String) -> impl IntoView {
    let text = text();
    match result.parse::<Code>() {
        Ok(code) => view! {
            <Notice tone=Tone::Deny text=text.sso.test_failed />
            <p class="muted">{(text.problem.title)(code)}</p>
        }
        .into_any(),
        Err(_) => view! { <Notice tone=Tone::Allow text=text.sso.test_ok /> }.into_any(),
    }
}
