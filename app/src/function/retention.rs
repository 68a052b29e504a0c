//! Server functions of retention and legal holds.

use leptos::prelude::*;
use types::id::{FormKey, LegalHoldId};
use types::name::Slug;
use types::retention::{LegalHold, Retention};

use super::{Seen, ask, change, submit};
use crate::backend::retention::RetentionView;
use crate::error::{AppError, Typed};
use crate::form::{HoldForm, ReleaseForm, RetentionForm};

/// The times, reports and holds.
#[server(prefix = "/ui/fn", endpoint = "find_retention")]
pub(crate) async fn find_retention(workspace: Slug) -> Result<RetentionView, AppError> {
    ask(|backend| async move { backend.retention.find_retention(&workspace).await }).await
}

/// Changes the times.
#[server(prefix = "/ui/fn", endpoint = "update_retention")]
pub(crate) async fn update_retention(
    workspace: Slug,
    version: u64,
    form: RetentionForm,
    seen: Option<Typed>,
) -> Result<Retention, AppError> {
    let seen = Seen { id: None, version, fields: seen };
    change(&form, seen, form.read(), |backend, command| async move {
        backend.retention.update_retention(&workspace, version, command).await
    })
    .await
}

/// Places a legal hold.
#[server(prefix = "/ui/fn", endpoint = "create_legal_hold")]
pub(crate) async fn create_legal_hold(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: HoldForm,
) -> Result<LegalHold, AppError> {
    submit(&form, form.read(), |backend, command| async move {
        backend.retention.create_legal_hold(&workspace, form_key, command).await
    })
    .await
}

/// Releases a legal hold.
#[server(prefix = "/ui/fn", endpoint = "release_legal_hold")]
pub(crate) async fn release_legal_hold(
    workspace: Slug,
    id: LegalHoldId,
    form: ReleaseForm,
) -> Result<LegalHold, AppError> {
    submit(&form, form.read(), |backend, command| async move {
        backend.retention.release_legal_hold(&workspace, id, command).await
    })
    .await
}
