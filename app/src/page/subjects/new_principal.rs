//! `/access/principals/new`: the form of a service principal.

use leptos::prelude::*;
use types::id::UserId;
use types::identity::Role;

use super::principal::roles;
use crate::component::{
    ChoiceField, Form, FormActions, Page, PageHead, Place, SelectField, TextField, Width, told_action, use_frame,
};
use crate::function::{CreatePrincipal, list_member_names};
use crate::text::text;

/// The form of a service principal.
#[component]
pub(crate) fn NewPrincipal() -> impl IntoView {
    let frame = use_frame();
    let people = frame.resource(|| (), |slug, ()| list_member_names(slug));
    frame.page(people, |place, people| view! { <Shown place=place people=people /> })
}

#[component]
fn Shown(place: Place, people: Vec<(UserId, String)>) -> impl IntoView {
    let text = text();
    let subjects = &text.subjects;
    let action = told_action::<CreatePrincipal>(text.common.told_created);
    let own = (place.shell.me.user.id.to_string(), subjects.myself.to_owned());
    let others = people.into_iter().filter(|(id, _)| *id != place.shell.me.user.id);
    let owners = std::iter::once(own.clone()).chain(others.map(|(id, name)| (id.to_string(), name))).collect();
    let options = roles(place.shell.workspace.role);
    view! {
        <Page width=Width::Narrow>
            <PageHead title=subjects.new_principal above=Some((subjects.principals, place.at.principals())) />
            <Form action=action sends=place.sends([])>
                <TextField field="name" label=text.common.name hint=subjects.name_hint />
                <SelectField
                    field="owner"
                    label=subjects.owner
                    hint=subjects.owner_hint
                    value=own.0
                    options=owners
                />
                <ChoiceField field="role" label=subjects.role value=Role::Dev.as_str() options=options />
                <FormActions label=subjects.create_principal back=place.at.principals() />
            </Form>
        </Page>
    }
    .into_any()
}
