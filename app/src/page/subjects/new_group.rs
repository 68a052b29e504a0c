//! `/access/groups/new`: the form of a group.

use leptos::prelude::*;
use types::id::UserId;

use crate::component::{
    ChecksField, Form, FormActions, Page, PageHead, Place, TextField, Width, told_action, use_frame,
};
use crate::function::{CreateGroup, list_member_names};
use crate::text::text;

/// The form of a group.
#[component]
pub(crate) fn NewGroup() -> impl IntoView {
    let frame = use_frame();
    let people = frame.resource(|| (), |slug, ()| list_member_names(slug));
    frame.page(people, |place, people| view! { <Shown place=place people=people /> })
}

#[component]
fn Shown(place: Place, people: Vec<(UserId, String)>) -> impl IntoView {
    let text = text();
    let subjects = &text.subjects;
    let action = told_action::<CreateGroup>(text.common.told_created);
    let options = people.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    view! {
        <Page width=Width::Narrow>
            <PageHead title=subjects.new_group above=Some((subjects.groups, place.at.groups())) />
            <Form action=action sends=place.sends([])>
                <TextField field="name" label=text.common.name />
                <ChecksField field="members" label=subjects.members value=Vec::new() options=options />
                <FormActions label=subjects.create_group back=place.at.groups() />
            </Form>
        </Page>
    }
    .into_any()
}
