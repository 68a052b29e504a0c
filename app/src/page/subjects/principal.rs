//! One service principal beside the list: its name, owner and role, its keys, and the switch.

use leptos::prelude::*;
use types::access::{PrincipalStatus, ServicePrincipal};
use types::id::UserId;
use types::identity::Role;
use types::key::ApiKey;

use super::principals::PrincipalState;
use crate::backend::List;
use crate::backend::subjects::PrincipalView;
use crate::component::{
    ButtonForm, ChoiceField, Drawer, Form, FormActions, FormState, FormSummary, Id, Moment, Notice, Over, Place,
    SelectField, TextField, Tone, over_list_with,
};
use crate::error::AppError;
use crate::function::{SetPrincipalStatus, UpdatePrincipal};
use crate::query::Params;
use crate::resource::Resource;
use crate::text::text;

/// The names that ask for something over the list.
pub(super) const OVER: &[&str] = &["peek"];

type People = Resource<Result<Vec<(UserId, String)>, AppError>>;

/// The drawer the address asks for.
#[component]
pub(super) fn Peek(
    list: Resource<Result<List<PrincipalView>, AppError>>,
    people: People,
    params: Memo<Params>,
    updated: ServerAction<UpdatePrincipal>,
    switched: ServerAction<SetPrincipalStatus>,
) -> impl IntoView {
    let show = move |place: Place, view: PrincipalView, over: Over, people: Vec<(UserId, String)>| {
        view! { <Shown place=place view=view over=over people=people updated=updated switched=switched /> }.into_any()
    };
    over_list_with(
        list,
        move || async move { people.await.unwrap_or_default() },
        params,
        OVER,
        |view| view.principal.id.to_string(),
        show,
    )
}

#[component]
fn Shown(
    place: Place,
    view: PrincipalView,
    over: Over,
    people: Vec<(UserId, String)>,
    updated: ServerAction<UpdatePrincipal>,
    switched: ServerAction<SetPrincipalStatus>,
) -> impl IntoView {
    let text = text();
    let PrincipalView { principal, keys } = view;
    let id = principal.id.to_string();
    let foot = place
        .may("service_principal.disable")
        .then(|| view! { <Switch place=place.clone() principal=principal.clone() switched=switched /> }.into_any());
    let orphan = (principal.status == PrincipalStatus::Orphaned)
        .then(|| view! { <Notice tone=Tone::Ask text=text.subjects.gone_owner /> });
    let acts_as = principal.effective_role.map(|role| (text.word.role)(role));
    let form = place.may("service_principal.update").then(|| {
        view! { <Edit place=place.clone() principal=principal.clone() people=people updated=updated /> }
    });
    view! {
        <Drawer title=principal.name.to_string() close=over.close previous=over.previous next=over.next foot=foot>
            <div class="row">
                <PrincipalState status=principal.status chip=true />
                <Id id=id copy=true />
            </div>
            <FormSummary form=FormState::of(switched) />
            {orphan}
            <dl class="dl">
                <dt>{text.subjects.owner}</dt>
                <dd>{principal.owner.as_ref().map(ToString::to_string)}</dd>
                <dt>{text.subjects.effective_role}</dt>
                <dd>{acts_as.unwrap_or(text.common.none)}</dd>
                <dt>{text.common.created}</dt>
                <dd>
                    <Moment at=principal.created_at />
                </dd>
            </dl>
            <KeyNames place=place principal=principal keys=keys />
            {form}
        </Drawer>
    }
    .into_any()
}

#[component]
fn Switch(place: Place, principal: ServicePrincipal, switched: ServerAction<SetPrincipalStatus>) -> impl IntoView {
    let subjects = &text().subjects;
    let (status, label) = match principal.status {
        PrincipalStatus::Disabled => (PrincipalStatus::Active, subjects.enable),
        PrincipalStatus::Active | PrincipalStatus::Orphaned => (PrincipalStatus::Disabled, subjects.disable),
    };
    let sends = place.sends([
        ("id", principal.id.to_string()),
        ("version", principal.version.to_string()),
        ("status", status.to_string()),
    ]);
    view! { <ButtonForm action=switched sends=sends label=label /> }.into_any()
}

#[component]
fn Edit(
    place: Place,
    principal: ServicePrincipal,
    people: Vec<(UserId, String)>,
    updated: ServerAction<UpdatePrincipal>,
) -> impl IntoView {
    let text = text();
    let sends = place.sends([("id", principal.id.to_string()), ("version", principal.version.to_string())]);
    let owners = people.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    view! {
        <Form action=updated sends=sends>
            <TextField field="name" label=text.common.name value=principal.name.to_string() />
            <SelectField
                field="owner"
                label=text.subjects.owner
                hint=text.subjects.owner_hint
                value=principal.owner_user_id.to_string()
                options=owners
            />
            <ChoiceField
                field="role"
                label=text.subjects.role
                value=principal.role.as_str()
                options=roles(place.shell.workspace.role)
            />
            <FormActions label=text.subjects.change />
        </Form>
    }
    .into_any()
}

/// The roles a principal may be given, with what they mean.
pub(super) fn roles(own: Role) -> Vec<(String, String, String)> {
    let text = text();
    let named = |role: &Role| {
        (role.to_string(), (text.word.role)(*role).to_owned(), (text.subjects.role_meaning)(*role).to_owned())
    };
    Role::ALL.iter().filter(|role| **role != Role::Owner && own <= **role).map(named).collect()
}

/// The keys a principal acts with.
#[component]
fn KeyNames(place: Place, principal: ServicePrincipal, keys: Vec<ApiKey>) -> impl IntoView {
    let text = text();
    let key = |key: ApiKey| {
        let href = Params::default().with("peek", &key.id.to_string()).at(&place.at.keys());
        view! {
            <li>
                <a class="link" href=href>
                    {key.name.to_string()}
                </a>
                " "
                <span class="muted">{(text.word.key_status)(key.status)}</span>
            </li>
        }
    };
    let is_empty = keys.is_empty();
    let names = keys.into_iter().map(key).collect_view();
    let issue = (principal.status == PrincipalStatus::Active && place.may("service_principal.issue_key")).then(|| {
        let href = Params::default().with("principal_id", &principal.id.to_string()).at(&place.at.new_key());
        view! {
            <a class="link" href=href>
                {text.subjects.new_key}
            </a>
        }
    });
    view! {
        <section class="stack" data-testid="principal-keys">
            <h3>{text.subjects.keys}</h3>
            {is_empty.then(|| view! { <p class="muted">{text.subjects.no_keys}</p> })}
            <ul class="stack">{names}</ul>
            {issue}
        </section>
    }
    .into_any()
}
