//! One group beside the list: its name and who is in it, and the dialog that deletes it.

use leptos::prelude::*;
use types::access::Group;
use types::id::UserId;

use crate::backend::List;
use crate::backend::subjects::GroupView;
use crate::component::{
    ChecksField, ConfirmByName, Drawer, Form, FormActions, Id, Over, Place, TextField, over_list_with,
};
use crate::error::AppError;
use crate::function::{DeleteGroup, UpdateGroup};
use crate::query::Params;
use crate::resource::Resource;
use crate::text::text;

/// The names that ask for something over the list.
pub(super) const OVER: &[&str] = &["delete", "peek"];

type People = Resource<Result<Vec<(UserId, String)>, AppError>>;

/// The drawer or dialog the address asks for.
#[component]
pub(super) fn Peek(
    list: Resource<Result<List<GroupView>, AppError>>,
    people: People,
    params: Memo<Params>,
    updated: ServerAction<UpdateGroup>,
    deleted: ServerAction<DeleteGroup>,
) -> impl IntoView {
    let show = move |place: Place, view: GroupView, over: Over, people: Vec<(UserId, String)>| match over.asked_by {
        "delete" => view! { <Delete place=place group=view.group back=over.close deleted=deleted /> }.into_any(),
        _ => view! { <Shown place=place view=view over=over people=people updated=updated /> }.into_any(),
    };
    over_list_with(
        list,
        move || async move { people.await.unwrap_or_default() },
        params,
        OVER,
        |view| view.group.id.to_string(),
        show,
    )
}

#[component]
fn Shown(
    place: Place,
    view: GroupView,
    over: Over,
    people: Vec<(UserId, String)>,
    updated: ServerAction<UpdateGroup>,
) -> impl IntoView {
    let text = text();
    let GroupView { group, names } = view;
    let id = group.id.to_string();
    let foot = place.may("group.delete").then(|| {
        let href = over.params.clone().without(&["peek"]).with("delete", &id).here();
        view! {
            <a class="btn btn--danger" href=href data-noscroll="" data-stays="">
                {text.subjects.delete_group}
            </a>
        }
        .into_any()
    });
    let form = place.may("group.update").then(|| {
        view! { <Edit place=place.clone() group=group.clone() people=people updated=updated /> }
    });
    let listed = form.is_none().then(|| {
        view! {
            <section class="stack">
                <h3>{text.subjects.members}</h3>
                <p>{if names.is_empty() { text.common.none.to_owned() } else { names.join(", ") }}</p>
            </section>
        }
    });
    view! {
        <Drawer title=group.name.to_string() close=over.close previous=over.previous next=over.next foot=foot>
            <div class="row">
                <Id id=id copy=true />
            </div>
            {form}
            {listed}
        </Drawer>
    }
    .into_any()
}

#[component]
fn Edit(
    place: Place,
    group: Group,
    people: Vec<(UserId, String)>,
    updated: ServerAction<UpdateGroup>,
) -> impl IntoView {
    let text = text();
    let sends = place.sends([("id", group.id.to_string()), ("version", group.version.to_string())]);
    let options = people.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    let members = group.members.iter().map(ToString::to_string).collect();
    view! {
        <Form action=updated sends=sends>
            <TextField field="name" label=text.common.name value=group.name.to_string() />
            <ChecksField field="members" label=text.subjects.members value=members options=options />
            <FormActions label=text.subjects.change />
        </Form>
    }
    .into_any()
}

#[component]
fn Delete(place: Place, group: Group, back: String, deleted: ServerAction<DeleteGroup>) -> impl IntoView {
    let subjects = &text().subjects;
    let name = group.name.to_string();
    view! {
        <ConfirmByName
            title=(subjects.delete_group_question)(&name)
            meaning=subjects.delete_group_text
            name=name
            action=deleted
            sends=place.sends([("id", group.id.to_string())])
            back=back
            label=subjects.delete_group
        />
    }
    .into_any()
}
