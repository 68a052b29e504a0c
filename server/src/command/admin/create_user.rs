//! `soit admin create-user`: an account.

use anyhow::Context;
use kernel::identity::{AccountPlace, NewAccount};
use serde_json::json;
use types::name::Name;

use super::arguments::CreateUser;
use super::{address, refused, shown};
use crate::command::bootstrap::read_password;
use crate::command::output::{print, print_json, say};
use crate::compose::App;

/// Makes the account; prints the link by which its password is chosen, if none was given.
pub(super) async fn create_user(app: &App, wanted: CreateUser) -> anyhow::Result<()> {
    let password = if wanted.password_stdin { Some(read_password()?) } else { None };
    let place = wanted.tenant.zip(wanted.workspace);
    let new = NewAccount {
        name: name(wanted.name, &wanted.email)?,
        email: wanted.email,
        password,
        is_operator: wanted.operator,
        place: place.map(|(tenant, workspace)| AccountPlace { tenant, workspace, role: wanted.role }),
    };
    let (user_id, link) = app.identity.create_account(&new).await.map_err(refused)?;
    if wanted.json {
        return print_json(&link.map_or_else(|| json!({ "user_id": user_id }), |link| shown(app, &link)));
    }
    say(format!("the account {user_id} is made"));
    if let Some(link) = link {
        say(format!("its password is chosen by this link, once, until {}:", link.expires_at));
        print(address(app, &link));
    }
    Ok(())
}

fn name(given: Option<Name>, email: &str) -> anyhow::Result<Name> {
    let before = || email.split('@').next().unwrap_or_default().trim().parse();
    given.map_or_else(before, Ok).context("--name: is needed, what stands before the `@` is no name")
}
