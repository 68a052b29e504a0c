//! `/access/grants/new`: the form of a grant.

use leptos::prelude::*;
use types::access::GrantAction;

use crate::backend::subjects::Grantables;
use crate::component::{
    Empty, Form, FormActions, Icon, Page, PageHead, Place, SelectField, TextField, Width, told_action, use_frame,
};
use crate::function::{CreateGrant, list_grantables};
use crate::text::text;

/// The form of a grant.
#[component]
pub(crate) fn NewGrant() -> impl IntoView {
    let frame = use_frame();
    let grantables = frame.resource(|| (), |slug, ()| list_grantables(slug));
    frame.page(grantables, |place, grantables| view! { <Shown place=place grantables=grantables /> })
}

#[component]
fn Shown(place: Place, grantables: Grantables) -> impl IntoView {
    let subjects = &text().subjects;
    let action = told_action::<CreateGrant>(text().common.told_created);
    let Grantables { people, groups, principals, models } = grantables;
    let of_kind = |kind: &'static str| move |(id, name): (String, String)| (id, format!("{name} · {kind}"));
    let to = people
        .into_iter()
        .map(of_kind(subjects.person))
        .chain(groups.into_iter().map(of_kind(subjects.group)))
        .chain(principals.into_iter().map(of_kind(subjects.principal)))
        .collect();
    let on: Vec<(String, String)> = models.into_iter().map(|(id, name)| (format!("model:{id}"), name)).collect();
    let may = vec![(GrantAction::Execute.to_string(), (subjects.action)(GrantAction::Execute).to_owned())];
    let (list, sends) = (place.at.grants(), place.sends([]));
    let (back, above) = (list.clone(), (subjects.grants, list));
    let form = if on.is_empty() {
        view! { <Empty icon=Icon::Access title=subjects.no_models text=subjects.no_models_text /> }.into_any()
    } else {
        view! {
            <Form action=action sends=sends>
                <SelectField field="subject" label=subjects.subject value="" options=to />
                <SelectField field="action" label=subjects.allows value="" options=may />
                <SelectField field="resource" label=subjects.resource value="" options=on />
                <TextField
                    field="last_day"
                    label=subjects.last_day
                    hint=subjects.last_day_hint
                    kind="date"
                    optional=true
                />
                <FormActions label=subjects.create_grant back=back />
            </Form>
        }
        .into_any()
    };
    view! {
        <Page width=Width::Narrow>
            <PageHead title=subjects.new_grant above=Some(above) />
            {form}
        </Page>
    }
    .into_any()
}
