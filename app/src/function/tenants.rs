//! Server functions of tenants and of the instance.

use leptos::prelude::*;
use types::id::FormKey;
use types::identity::Workspace;
use types::name::Slug;

use super::{ask, submit};
use crate::backend::redirect;
use crate::backend::tenants::{OperatorSheet, Places, TenantPage};
use crate::error::AppError;
use crate::form::{About, TenantForm};
use crate::route::At;

/// Where the reader can go.
#[server(prefix = "/ui/fn", endpoint = "find_places")]
pub(crate) async fn find_places() -> Result<Places, AppError> {
    ask(|backend| async move { backend.tenants.find_places().await }).await
}

/// A page of a tenant.
#[server(prefix = "/ui/fn", endpoint = "find_tenant_page")]
pub(crate) async fn find_tenant_page(
    tenant: String,
    section: String,
    after: Option<String>,
) -> Result<TenantPage, AppError> {
    ask(|backend| async move { backend.tenants.find_tenant_page(&tenant, &section, after).await }).await
}

/// Does what a form of a tenant's page asks for, and leads to the workspace it made, or away from what it deleted.
#[server(prefix = "/ui/fn", endpoint = "manage_tenant")]
pub(crate) async fn manage_tenant(
    tenant: String,
    act: String,
    form_key: Option<FormKey>,
    #[server(default)] id: String,
    #[server(default)] version: u64,
    #[server(default)] role: String,
    #[server(default)] form: TenantForm,
) -> Result<(), AppError> {
    let is_deletion = act == "delete";
    let command = form.manage(&About { act, id, version, role });
    let made = submit(&form, command, |backend, command| async move {
        backend.tenants.manage_tenant(&tenant, form_key, command).await
    })
    .await?;
    made.into_iter().for_each(|slug| redirect(&At::workspace(slug).home()));
    if is_deletion {
        redirect("/?choose=1");
    }
    Ok(())
}

/// A page of who runs the instance.
#[server(prefix = "/ui/fn", endpoint = "find_operator_page")]
pub(crate) async fn find_operator_page(
    section: String,
    q: Option<String>,
    after: Option<String>,
) -> Result<OperatorSheet, AppError> {
    ask(|backend| async move { backend.tenants.find_operator_page(&section, q, after).await }).await
}

/// Does what a form of such a page asks for.
#[server(prefix = "/ui/fn", endpoint = "operate")]
pub(crate) async fn operate(
    act: String,
    form_key: Option<FormKey>,
    #[server(default)] id: String,
    #[server(default)] form: TenantForm,
) -> Result<(), AppError> {
    let command = form.operate(&About { act, id, ..About::default() });
    submit(&form, command, |backend, command| async move { backend.tenants.operate(form_key, command).await }).await
}

/// Archives a workspace, or brings it back.
#[server(prefix = "/ui/fn", endpoint = "set_archived")]
pub(crate) async fn set_archived(workspace: Slug, archived: bool) -> Result<Workspace, AppError> {
    ask(|backend| async move { backend.tenants.set_archived(&workspace, archived).await }).await
}
