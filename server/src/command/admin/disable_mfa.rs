//! `soit admin disable-mfa`: takes a second factor away.

use serde_json::json;

use super::refused;
use crate::command::output::{print, print_json};
use crate::compose::App;

/// Takes the second factor of an address's account away; to have none is no failure.
pub(super) async fn disable_mfa(app: &App, email: &str, json: bool) -> anyhow::Result<()> {
    let removed = app.identity.remove_second_factor(email).await.map_err(refused)?;
    if json {
        return print_json(&json!({ "disabled": removed }));
    }
    print(if removed { "the second factor is taken away" } else { "the account has no second factor" });
    Ok(())
}
