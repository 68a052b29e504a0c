//! Server functions of service principals, groups and grants.

use leptos::prelude::*;
use types::access::{Grant, Group, PrincipalStatus, ServicePrincipal, UpdateServicePrincipal};
use types::id::{FormKey, GrantId, GroupId, ServicePrincipalId, UserId};
use types::name::Slug;

use super::{Seen, ask, change, submit};
use crate::backend::subjects::{GrantView, Grantables, GroupView, PrincipalView};
use crate::backend::{List, redirect};
use crate::error::{AppError, Typed};
use crate::form::{GrantForm, GroupForm, PrincipalForm};
use crate::route::At;

/// One page of the service principals.
#[server(prefix = "/ui/fn", endpoint = "list_principals")]
pub(crate) async fn list_principals(workspace: Slug, after: Option<String>) -> Result<List<PrincipalView>, AppError> {
    ask(|backend| async move { backend.subjects.list_principals(&workspace, after).await }).await
}

/// Makes a service principal.
#[server(prefix = "/ui/fn", endpoint = "create_principal")]
pub(crate) async fn create_principal(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: PrincipalForm,
) -> Result<ServicePrincipal, AppError> {
    let at = At::workspace(&workspace);
    let principal = submit(&form, form.create(), |backend, command| async move {
        backend.subjects.create_principal(&workspace, form_key, command).await
    })
    .await?;
    redirect(&at.principals());
    Ok(principal)
}

/// Changes a service principal.
#[server(prefix = "/ui/fn", endpoint = "update_principal")]
pub(crate) async fn update_principal(
    workspace: Slug,
    id: ServicePrincipalId,
    version: u64,
    form: PrincipalForm,
    seen: Option<Typed>,
) -> Result<ServicePrincipal, AppError> {
    let seen = Seen { id: Some(id.to_string()), version, fields: seen };
    change(&form, seen, form.update(), |backend, command| async move {
        backend.subjects.update_principal(&workspace, id, version, command).await
    })
    .await
}

/// Switches a service principal on or off.
#[server(prefix = "/ui/fn", endpoint = "set_principal_status")]
pub(crate) async fn set_principal_status(
    workspace: Slug,
    id: ServicePrincipalId,
    version: u64,
    status: PrincipalStatus,
) -> Result<ServicePrincipal, AppError> {
    let command = UpdateServicePrincipal { status: Some(status), ..UpdateServicePrincipal::default() };
    ask(|backend| async move { backend.subjects.update_principal(&workspace, id, version, command).await }).await
}

/// Whom a key can be made for.
#[server(prefix = "/ui/fn", endpoint = "list_key_subjects")]
pub(crate) async fn list_key_subjects(workspace: Slug) -> Result<Vec<(ServicePrincipalId, String)>, AppError> {
    ask(|backend| async move { backend.subjects.list_key_subjects(&workspace).await }).await
}

/// One page of the groups.
#[server(prefix = "/ui/fn", endpoint = "list_groups")]
pub(crate) async fn list_groups(workspace: Slug, after: Option<String>) -> Result<List<GroupView>, AppError> {
    ask(|backend| async move { backend.subjects.list_groups(&workspace, after).await }).await
}

/// The names of all members.
#[server(prefix = "/ui/fn", endpoint = "list_member_names")]
pub(crate) async fn list_member_names(workspace: Slug) -> Result<Vec<(UserId, String)>, AppError> {
    ask(|backend| async move { backend.subjects.list_member_names(&workspace).await }).await
}

/// Makes a group.
#[server(prefix = "/ui/fn", endpoint = "create_group")]
pub(crate) async fn create_group(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: GroupForm,
) -> Result<Group, AppError> {
    let at = At::workspace(&workspace);
    let group = submit(&form, form.create(), |backend, command| async move {
        backend.subjects.create_group(&workspace, form_key, command).await
    })
    .await?;
    redirect(&at.groups());
    Ok(group)
}

/// Changes a group.
#[server(prefix = "/ui/fn", endpoint = "update_group")]
pub(crate) async fn update_group(
    workspace: Slug,
    id: GroupId,
    version: u64,
    form: GroupForm,
    seen: Option<Typed>,
) -> Result<Group, AppError> {
    let seen = Seen { id: Some(id.to_string()), version, fields: seen };
    change(&form, seen, form.update(), |backend, command| async move {
        backend.subjects.update_group(&workspace, id, version, command).await
    })
    .await
}

/// Deletes a group.
#[server(prefix = "/ui/fn", endpoint = "delete_group")]
pub(crate) async fn delete_group(workspace: Slug, id: GroupId) -> Result<(), AppError> {
    let at = At::workspace(&workspace);
    ask(|backend| async move { backend.subjects.delete_group(&workspace, id).await }).await?;
    redirect(&at.groups());
    Ok(())
}

/// One page of the grants.
#[server(prefix = "/ui/fn", endpoint = "list_grants")]
pub(crate) async fn list_grants(workspace: Slug, after: Option<String>) -> Result<List<GrantView>, AppError> {
    ask(|backend| async move { backend.subjects.list_grants(&workspace, after).await }).await
}

/// What a grant can be made of.
#[server(prefix = "/ui/fn", endpoint = "list_grantables")]
pub(crate) async fn list_grantables(workspace: Slug) -> Result<Grantables, AppError> {
    ask(|backend| async move { backend.subjects.list_grantables(&workspace).await }).await
}

/// Grants something.
#[server(prefix = "/ui/fn", endpoint = "create_grant")]
pub(crate) async fn create_grant(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: GrantForm,
) -> Result<Grant, AppError> {
    let at = At::workspace(&workspace);
    let grant = submit(&form, form.read(), |backend, command| async move {
        backend.subjects.create_grant(&workspace, form_key, command).await
    })
    .await?;
    redirect(&at.grants());
    Ok(grant)
}

/// Takes a grant back.
#[server(prefix = "/ui/fn", endpoint = "revoke_grant")]
pub(crate) async fn revoke_grant(workspace: Slug, id: GrantId) -> Result<(), AppError> {
    let at = At::workspace(&workspace);
    ask(|backend| async move { backend.subjects.revoke_grant(&workspace, id).await }).await?;
    redirect(&at.grants());
    Ok(())
}
