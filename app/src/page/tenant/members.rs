//! The members of a tenant: listed, given another role, removed.

use leptos::prelude::*;
use types::identity::TenantRole;
use types::tenant::TenantMember;

use super::Here;
use crate::backend::List;
use crate::component::{
    ButtonForm, ConfirmByName, Form, FormActions, FormState, FormSummary, Look, Paged, SelectField, TextField, sheet,
};
use crate::text::text;

pub(super) fn view(here: Here, list: List<TenantMember>) -> AnyView {
    let text = text();
    let action = here.action;
    let params = here.params.get_untracked();
    let asked = params.get("remove").map(str::to_owned);
    let leaving = list.page.items.iter().find(|member| Some(member.user_id.to_string()) == asked);
    let confirm = leaving.filter(|_| here.may("tenant_member.remove")).map(|member| {
        let name = member.name.to_string();
        view! {
            <ConfirmByName
                title=(text.access.remove_question)(&name)
                meaning=text.tenant.remove_text
                name=name
                action=here.action
                sends=here.sends("remove", [("id", member.user_id.to_string())])
                back=params.clone().without(&["remove"]).here()
                label=text.access.remove
            />
        }
    });
    let (adder, params_now) = (here.clone(), here.params);
    let adds = {
        let may = here.may("tenant_member.add");
        move || may && params_now.with(|params| params.get("add").is_some())
    };
    let at = params.clone();
    let rows = move |items: Vec<TenantMember>| {
        let row = |member: TenantMember| {
            let id = member.user_id.to_string();
            let other = |role: &TenantRole| {
                let more = [("id", id.clone()), ("version", member.version.to_string()), ("role", role.to_string())];
                let sends = here.sends("set_role", more);
                view! { <ButtonForm action=here.action sends=sends label=(text.tenant.make)(*role) look=Look::Small /> }
            };
            // Owners are made and unmade by owners alone.
            let own = here.page.tenant.role.unwrap_or(TenantRole::Member);
            let may = here.may("tenant_member.change_role") && own <= member.role;
            let others = TenantRole::ALL.iter().filter(|role| may && **role != member.role && own <= **role);
            let remove = may.then(|| {
                let href = at.clone().with("remove", &id).here();
                view! { <a class="btn btn--sm" href=href data-noscroll="">{text.access.remove}</a> }
            });
            vec![
                view! { {member.name.to_string()} <span class="cell-sub">{member.email.clone()}</span> }.into_any(),
                (text.word.tenant_role)(member.role).into_any(),
                (text.word.user_status)(member.status).into_any(),
                view! { <div class="row">{others.map(other).collect_view()} {remove}</div> }.into_any(),
            ]
        };
        let heads = vec![text.common.name, text.access.role, text.common.status, text.common.edit];
        sheet((text.tenant.section)("members"), heads, items.into_iter().map(row).collect())
    };
    let has_dialog = confirm.is_some();
    let top = move || match adds() {
        true => add(&adder),
        // The dialog has its own.
        false => {
            let new = params_now.get_untracked().with("add", "1").here();
            let link = adder.may("tenant_member.add").then(|| {
                view! {
                    <a class="btn" href=new data-noscroll="" data-testid="add-member">
                        {text.tenant.add_member}
                    </a>
                }
            });
            let refusal = (!has_dialog).then(|| view! { <FormSummary form=FormState::of(action) /> });
            view! { {refusal} {link} }.into_any()
        }
    };
    view! {
        {top} {confirm}
        <Paged list=list params=params rows=rows />
    }
    .into_any()
}

/// The form that gives somebody a place again.
fn add(here: &Here) -> AnyView {
    let text = text();
    let own = here.page.tenant.role.unwrap_or(TenantRole::Member);
    let roles = TenantRole::ALL.iter().rev().filter(|role| own <= **role);
    let roles = roles.map(|role| (role.to_string(), (text.word.tenant_role)(*role).to_owned())).collect();
    let back = here.params.get_untracked().without(&["add"]).here();
    let (action, sends) = (here.action, here.sends("add_member", []));
    view! {
        <Form action=action sends=sends>
            <TextField field="email" label=text.access.email hint=text.tenant.add_hint kind="email" />
            <SelectField field="role" label=text.access.role value="member" options=roles />
            <FormActions label=text.tenant.add_member back=back />
        </Form>
    }
    .into_any()
}
