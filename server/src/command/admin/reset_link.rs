//! `soit admin reset-link`: a link that sets a password.

use super::{address, refused, shown};
use crate::command::output::{print, print_json, say};
use crate::compose::App;

/// Prints the link. Whoever has it sets the password: it is to be handed to nobody else.
pub(super) async fn reset_link(app: &App, email: &str, json: bool) -> anyhow::Result<()> {
    let link = app.identity.make_reset_link(email).await.map_err(refused)?;
    if json {
        return print_json(&shown(app, &link));
    }
    say(format!("the link works once, until {}:", link.expires_at));
    print(address(app, &link));
    Ok(())
}
