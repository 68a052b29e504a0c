//! One member beside the list: their role, and the dialog that removes them.

use leptos::prelude::*;
use types::identity::Role;
use types::member::Member;

use super::people::AccountState;
use crate::backend::List;
use crate::component::{ChoiceField, ConfirmByName, Drawer, Form, FormActions, Id, Moment, Over, Place, over_list};
use crate::error::AppError;
use crate::function::{RemoveMember, UpdateMember};
use crate::query::Params;
use crate::resource::Resource;
use crate::text::text;

/// The names that ask for something over the list.
pub(super) const OVER: &[&str] = &["remove", "peek"];

/// The drawer or dialog the address asks for.
#[component]
pub(super) fn Peek(
    members: Resource<Result<List<Member>, AppError>>,
    params: Memo<Params>,
    updated: ServerAction<UpdateMember>,
    removed: ServerAction<RemoveMember>,
) -> impl IntoView {
    let show = move |place: Place, member: Member, over: Over| match over.asked_by {
        "remove" => view! { <Remove place=place member=member back=over.close removed=removed /> }.into_any(),
        _ => view! { <Shown place=place member=member over=over updated=updated /> }.into_any(),
    };
    over_list(members, params, OVER, |member| member.user_id.to_string(), show)
}

#[component]
fn Shown(place: Place, member: Member, over: Over, updated: ServerAction<UpdateMember>) -> impl IntoView {
    let text = text();
    let id = member.user_id.to_string();
    let is_me = place.shell.me.user.id == member.user_id;
    let own = place.shell.workspace.role;
    let reaches = own <= member.role;
    let may_remove = is_me || place.may("member.remove") && reaches;
    let foot = may_remove.then(|| {
        let href = over.params.without(&["peek"]).with("remove", &id).here();
        let label = if is_me { text.access.leave } else { text.access.remove };
        view! {
            <a class="btn btn--danger" href=href data-noscroll="" data-stays="">
                {label}
            </a>
        }
        .into_any()
    });
    let form = (place.may("member.change_role") && reaches)
        .then(|| view! { <ChangeRole place=place.clone() member=member.clone() own=own updated=updated /> });
    let role = form.is_none().then(|| {
        view! {
            <dt>{text.access.role}</dt>
            <dd>{(text.word.role)(member.role)}</dd>
        }
    });
    view! {
        <Drawer title=member.name.to_string() close=over.close previous=over.previous next=over.next foot=foot>
            <div class="row">
                <AccountState status=member.status chip=true />
                <Id id=id copy=true />
            </div>
            {form}
            <dl class="dl">
                <dt>{text.access.email}</dt>
                <dd>{member.email}</dd>
                {role}
                <dt>{text.access.tenant_role}</dt>
                <dd>{(text.word.tenant_role)(member.tenant_role)}</dd>
                <dt>{text.access.joined}</dt>
                <dd>
                    <Moment at=member.joined_at />
                </dd>
            </dl>
        </Drawer>
    }
    .into_any()
}

#[component]
fn ChangeRole(place: Place, member: Member, own: Role, updated: ServerAction<UpdateMember>) -> impl IntoView {
    let access = &text().access;
    let sends = place.sends([("id", member.user_id.to_string()), ("version", member.version.to_string())]);
    view! {
        <Form action=updated sends=sends>
            <ChoiceField field="role" label=access.role value=member.role.as_str() options=roles(own) />
            <FormActions label=access.change_role />
        </Form>
    }
    .into_any()
}

/// The roles one may give, with what they mean.
pub(super) fn roles(own: Role) -> Vec<(String, String, String)> {
    let text = text();
    let named = |role: &Role| {
        (role.to_string(), (text.word.role)(*role).to_owned(), (text.access.role_meaning)(*role).to_owned())
    };
    Role::ALL.iter().filter(|role| own <= **role).map(named).collect()
}

#[component]
fn Remove(place: Place, member: Member, back: String, removed: ServerAction<RemoveMember>) -> impl IntoView {
    let access = &text().access;
    let is_me = place.shell.me.user.id == member.user_id;
    let name = member.name.to_string();
    let (title, meaning, label) = match is_me {
        true => (access.leave_question.to_owned(), access.leave_text, access.leave),
        false => ((access.remove_question)(&name), access.remove_text, access.remove),
    };
    view! {
        <ConfirmByName
            title=title
            meaning=meaning
            name=name
            action=removed
            sends=place.sends([("id", member.user_id.to_string())])
            back=back
            label=label
        />
    }
    .into_any()
}
