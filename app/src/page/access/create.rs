//! `/access/new`: the form of an invitation.

use leptos::prelude::*;
use types::identity::Role;

use super::peek::roles;
use crate::component::{ChoiceField, Form, FormActions, Page, PageHead, Place, TextField, Width, use_frame};
use crate::function::CreateInvitation;
use crate::text::text;

/// The form of an invitation.
#[component]
pub(crate) fn NewInvitation() -> impl IntoView {
    let frame = use_frame();
    let action = ServerAction::<CreateInvitation>::new();
    let nothing = frame.resource(|| (), |_, ()| async { Ok(()) });
    frame.page(nothing, move |place, ()| view! { <Shown place=place action=action /> })
}

#[component]
fn Shown(place: Place, action: ServerAction<CreateInvitation>) -> impl IntoView {
    let access = &text().access;
    let options = roles(place.shell.workspace.role);
    view! {
        <Page width=Width::Narrow>
            <PageHead title=access.invite above=Some((access.title, place.at.invitations())) />
            <Form action=action sends=place.sends([])>
                <TextField field="email" label=access.email hint=access.email_hint />
                <ChoiceField field="role" label=access.role value=Role::Viewer.as_str() options=options />
                <FormActions label=access.create_invitation back=place.at.invitations() />
            </Form>
        </Page>
    }
    .into_any()
}
