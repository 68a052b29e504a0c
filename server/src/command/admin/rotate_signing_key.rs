//! `soit admin rotate-signing-key`: another key signs from now on.

use kernel::chain::Rotated;
use serde_json::json;

use crate::command::output::{print, print_json, say};
use crate::compose::App;

/// Makes a key and tells every chain, or finishes telling of the last one.
pub(super) async fn rotate_signing_key(app: &App, finish: bool, json: bool) -> anyhow::Result<()> {
    let rotated = if finish { app.rotator.finish().await? } else { app.rotator.rotate().await? };
    let Rotated { rotation, chains } = rotated;
    let Some(rotation) = rotation else {
        anyhow::ensure!(finish, "there is no signing key");
        if json {
            return print_json(&json!({ "key_id": null, "chains": 0 }));
        }
        print("the signing key was never rotated, there is nothing to finish");
        return Ok(());
    };
    if json {
        return print_json(&json!({
            "key_id": rotation.to.id(),
            "public_key": rotation.to.to_string(),
            "previous_key_id": rotation.from.id(),
            "rotated_at": rotation.rotated_at,
            "chains": chains,
        }));
    }
    print(format!(
        "{} signs since {}, after {}",
        rotation.to.id(),
        rotation.rotated_at.to_rfc3339(),
        rotation.from.id()
    ));
    say(format!("{chains} chains were told; other processes sign with it within half a minute"));
    Ok(())
}
