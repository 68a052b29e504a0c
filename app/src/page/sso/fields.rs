//! The fields of a connection.

use leptos::prelude::*;
use types::identity::Role;

use crate::component::{SelectField, SwitchField, TextField};
use crate::form::SsoForm;
use crate::text::text;

/// The fields of a connection.
#[component]
pub(super) fn Fields(of: SsoForm) -> impl IntoView {
    let text = text();
    let sso = &text.sso;
    let roles = Role::ALL.iter().filter(|role| **role != Role::Owner);
    let roles = roles.map(|role| (role.to_string(), (text.word.role)(*role).to_owned())).collect();
    view! {
        <TextField field="label" label=sso.label hint=sso.label_hint value=of.label />
        <TextField field="issuer" label=sso.issuer hint=sso.issuer_hint value=of.issuer mono=true />
        <TextField field="client_id" label=sso.client_id value=of.client_id mono=true />
        <TextField
            field="client_secret"
            label=sso.client_secret
            hint=sso.client_secret_hint
            kind="password"
            optional=true
        />
        <TextField field="scopes" label=sso.scopes hint=sso.list_hint value=of.scopes mono=true optional=true />
        <SwitchField field="jit" label=sso.jit hint=sso.jit_hint on=!of.jit.is_empty() />
        <TextField
            field="allowed_domains"
            label=sso.allowed_domains
            hint=sso.list_hint
            value=of.allowed_domains
            optional=true
        />
        <SelectField field="jit_role" label=sso.jit_role value=of.jit_role options=roles />
        <TextField field="group_claim" label=sso.group_claim value=of.group_claim mono=true optional=true />
        <TextField
            field="mappings"
            label=sso.mappings
            hint=sso.mappings_hint
            value=of.mappings
            mono=true
            optional=true
            lines=4
        />
        <SwitchField field="enforced" label=sso.enforced hint=sso.enforced_hint on=!of.enforced.is_empty() />
    }
    .into_any()
}
