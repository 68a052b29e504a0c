//! Server functions of saved views.

use leptos::prelude::*;
use types::id::{FormKey, ViewId};
use types::name::Slug;
use types::view::{SavedView, ViewPage};

use super::{Seen, ask, change, submit};
use crate::backend::redirect;
use crate::error::{AppError, Typed};
use crate::form::ViewForm;
use crate::query::{Params, VIEW};
use crate::route::At;

/// The views of a list.
#[server(prefix = "/ui/fn", endpoint = "list_views")]
pub(crate) async fn list_views(workspace: Slug, page: ViewPage) -> Result<Vec<SavedView>, AppError> {
    ask(|backend| async move { backend.views.list_views(&workspace, page).await }).await
}

/// Saves a view and leads to it.
#[server(prefix = "/ui/fn", endpoint = "create_view")]
pub(crate) async fn create_view(
    workspace: Slug,
    page: ViewPage,
    form_key: Option<FormKey>,
    form: ViewForm,
) -> Result<SavedView, AppError> {
    let at = At::workspace(&workspace);
    let view = submit(&form, form.create(page), |backend, command| async move {
        backend.views.create_view(&workspace, form_key, command).await
    })
    .await?;
    redirect(&shown(&at, &view));
    Ok(view)
}

/// Changes a view and leads back to the list.
#[server(prefix = "/ui/fn", endpoint = "update_view")]
pub(crate) async fn update_view(
    workspace: Slug,
    id: ViewId,
    version: u64,
    list: String,
    form: ViewForm,
    seen: Option<Typed>,
) -> Result<SavedView, AppError> {
    let at = At::workspace(&workspace);
    let seen = Seen { id: Some(id.to_string()), version, fields: seen };
    let view = change(&form, seen, form.update(), |backend, command| async move {
        backend.views.update_view(&workspace, id, Some(version), command).await
    })
    .await?;
    redirect(&Params::parse(&list).at(&at.list(view.page)));
    Ok(view)
}

/// Deletes a view and leads to the list without it.
#[server(prefix = "/ui/fn", endpoint = "delete_view")]
pub(crate) async fn delete_view(workspace: Slug, id: ViewId, page: ViewPage, list: String) -> Result<(), AppError> {
    let at = At::workspace(&workspace);
    ask(|backend| async move { backend.views.delete_view(&workspace, id).await }).await?;
    redirect(&Params::parse(&list).at(&at.list(page)));
    Ok(())
}

/// The address of a list in a view.
fn shown(at: &At, view: &SavedView) -> String {
    Params::parse(&view.query).with(VIEW, &view.id.to_string()).at(&at.list(view.page))
}
