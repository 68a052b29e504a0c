//! The forms that lower a session to a weaker role and give it its own power back. They work without scripts: each answers by
//! sending the browser on, and the page it comes to is made anew under the role it has then.

use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::response::Redirect;
use axum::{Extension, Form};
use serde::Deserialize;
use types::identity::Role;
use types::name::Slug;

use super::next::next_path;
use super::sign_in::unread_as;
use crate::backend::Visitor;
use crate::http::{Error, Result};

type Sent<T> = std::result::Result<Form<T>, FormRejection>;

/// Which role, of which workspace.
#[derive(Deserialize)]
pub(super) struct ViewAsForm {
    workspace: Slug,
    role: String,
    #[serde(default)]
    next: String,
}

/// Where to go on.
#[derive(Deserialize)]
pub(super) struct StopForm {
    #[serde(default)]
    next: String,
}

/// Lowers the session to a role below its person's own in the workspace.
pub(super) async fn start(Extension(visitor): Extension<Arc<Visitor>>, form: Sent<ViewAsForm>) -> Result<Redirect> {
    let form = read(form)?;
    let unknown = || kernel::Error::invalid("role", "is no role: `owner`, `admin`, `dev` or `viewer`");
    let role: Role = form.role.parse().map_err(|_| unknown())?;
    visitor.start_view_as(&form.workspace, role).await?;
    Ok(Redirect::to(&next_path(&form.next)))
}

/// Gives the session its person's own power back.
pub(super) async fn stop(Extension(visitor): Extension<Arc<Visitor>>, form: Sent<StopForm>) -> Result<Redirect> {
    let form = read(form)?;
    visitor.stop_view_as().await?;
    Ok(Redirect::to(&next_path(&form.next)))
}

fn read<T>(form: Sent<T>) -> Result<T> {
    let form = form.map_err(|unread| Error::new(unread_as(&unread), "send the form as the page has it"))?;
    Ok(form.0)
}
