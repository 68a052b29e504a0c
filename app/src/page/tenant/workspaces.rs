//! The workspaces of a tenant: listed, made, joined.

use leptos::prelude::*;
use types::id::WorkspaceId;
use types::identity::Workspace;
use types::name::Slug;
use types::tenant::WorkspaceStatus;

use super::Here;
use crate::backend::List;
use crate::component::{
    ButtonForm, Disclosure, Form, FormActions, FormState, Look, Paged, StateMark, TextField, sheet,
};
use crate::route::At;
use crate::text::text;

pub(super) fn view(here: Here, list: List<Workspace>, own: Vec<(WorkspaceId, Slug)>) -> AnyView {
    let text = text();
    let action = here.action;
    let new = here.may("workspace.create").then(|| {
        let sends = here.sends("create_workspace", []);
        view! {
            <Disclosure label=text.tenant.new_workspace open=FormState::of(action).was_refused()>
                <Form action=action sends=sends>
                    <TextField field="name" label=text.common.name />
                    <TextField field="slug" label=text.settings.slug hint=text.tenant.slug_hint mono=true />
                    <FormActions label=text.tenant.create />
                </Form>
            </Disclosure>
        }
    });
    let params = here.params.get_untracked();
    let rows = move |items: Vec<Workspace>| {
        let row = |workspace: Workspace| {
            let own = own.iter().find(|(id, _)| *id == workspace.id).map(|(_, called)| called);
            let is_own = own.is_some();
            let name = workspace.name.to_string();
            let name = match own {
                Some(called) => view! { <a class="row-link" href=At::workspace(called).home()>{name}</a> }.into_any(),
                None => name.into_any(),
            };
            let (state, label) = match workspace.status {
                WorkspaceStatus::Active => ("succeeded", text.tenant.active),
                WorkspaceStatus::Archived => ("canceled", text.tenant.archived),
            };
            let join = (!is_own && here.may("workspace.join")).then(|| {
                let sends = here.sends("join", [("id", workspace.id.to_string())]);
                view! { <ButtonForm action=action sends=sends label=text.tenant.join look=Look::Small /> }
            });
            vec![
                name,
                view! { <code class="id">{workspace.slug.to_string()}</code> }.into_any(),
                view! { <StateMark state=state label=label /> }.into_any(),
                (text.word.capture)(workspace.content_capture).into_any(),
                join.into_any(),
            ]
        };
        let heads =
            vec![text.common.name, text.settings.slug, text.common.status, text.settings.capture, text.common.edit];
        sheet((text.tenant.section)("workspaces"), heads, items.into_iter().map(row).collect())
    };
    view! {
        {new}
        <Paged list=list params=params rows=rows />
    }
    .into_any()
}
