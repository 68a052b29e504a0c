//! One member beside the list: their role, and the dialog that removes them.

use leptos::prelude::*;
use types::id::UserId;
use types::identity::Role;
use types::member::Member;
use types::problem::{Code, Problem};

use super::closed;
use super::people::AccountState;
use crate::backend::List;
use crate::component::{ChoiceField, ConfirmByName, Drawer, Failure, Form, FormActions, Id, Moment, Place, use_frame};
use crate::error::AppError;
use crate::function::{RemoveMember, UpdateMember};
use crate::query::Params;
use crate::text::text;

/// What the address asks to show over the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Peek(String),
    Remove(String),
}

impl Asked {
    pub(super) fn read(params: &Params) -> Option<Self> {
        let asked = |name: &str, what: fn(String) -> Self| params.get(name).map(|id| what(id.to_owned()));
        asked("remove", Self::Remove).or_else(|| asked("peek", Self::Peek))
    }

    fn id(&self) -> &str {
        match self {
            Self::Peek(id) | Self::Remove(id) => id,
        }
    }
}

/// The drawer or dialog the address asks for.
#[component]
pub(super) fn Peek(
    members: Resource<Result<List<Member>, AppError>>,
    asked: Memo<Option<Asked>>,
    params: Memo<Params>,
    updated: ServerAction<UpdateMember>,
    removed: ServerAction<RemoveMember>,
) -> impl IntoView {
    let shell = use_frame().shell();
    view! {
        <Transition>
            {move || {
                asked
                    .get()
                    .map(|asked| {
                        Suspend::new(async move {
                            let (Ok(shell), Ok(members)) = (shell.await, members.await) else { return ().into_any() };
                            let members = members.page.items;
                            let place = Place::new(shell);
                            let params = params.get_untracked();
                            let id = asked.id().parse::<UserId>().ok();
                            let found = members.iter().position(|member| Some(member.user_id) == id);
                            let Some((index, member)) = found.and_then(|index| Some((index, members.get(index)?.clone()))) else {
                                return view! { <Missing id=asked.id().to_owned() params=params /> }.into_any();
                            };
                            match asked {
                                Asked::Peek(_) => {
                                    let neighbour = |index: Option<usize>| {
                                        let id = members.get(index?)?.user_id;
                                        Some(params.clone().with("peek", &id.to_string()).here())
                                    };
                                    let (previous, next) = (neighbour(index.checked_sub(1)), neighbour(Some(index + 1)));
                                    view! {
                                        <Shown
                                            place=place
                                            member=member
                                            params=params
                                            previous=previous
                                            next=next
                                            updated=updated
                                        />
                                    }
                                        .into_any()
                                }
                                Asked::Remove(_) => {
                                    view! { <Remove place=place member=member back=closed(&params) removed=removed /> }.into_any()
                                }
                            }
                        })
                    })
            }}
        </Transition>
    }
    .into_any()
}

#[component]
fn Missing(id: String, params: Params) -> impl IntoView {
    let error = AppError::from(Problem::new(Code::NotFound, id.clone()));
    view! {
        <Drawer title=crate::format::short_id(&id) close=closed(&params)>
            <Failure error=error />
        </Drawer>
    }
    .into_any()
}

#[component]
fn Shown(
    place: Place,
    member: Member,
    params: Params,
    previous: Option<String>,
    next: Option<String>,
    updated: ServerAction<UpdateMember>,
) -> impl IntoView {
    let text = text();
    let id = member.user_id.to_string();
    let is_me = place.shell.me.user.id == member.user_id;
    let own = place.shell.workspace.role;
    let reaches = own <= member.role;
    let may_remove = is_me || place.may("member.remove") && reaches;
    let foot = may_remove.then(|| {
        let href = params.clone().without(&["peek"]).with("remove", &id).here();
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
        <Drawer title=member.name.to_string() close=closed(&params) previous=previous next=next foot=foot>
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
