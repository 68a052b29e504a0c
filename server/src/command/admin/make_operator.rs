//! `soit admin make-operator`: who runs the instance.

use serde_json::json;

use super::refused;
use crate::command::output::{print, print_json};
use crate::compose::App;

/// Makes an account an operator's, and says so if it was one.
pub(super) async fn make_operator(app: &App, email: &str, json: bool) -> anyhow::Result<()> {
    let (user_id, changed) = app.identity.make_operator(email).await.map_err(refused)?;
    if json {
        return print_json(&json!({ "user_id": user_id, "changed": changed }));
    }
    print(if changed { "the account runs the instance" } else { "it is an operator's already, nothing was changed" });
    Ok(())
}
