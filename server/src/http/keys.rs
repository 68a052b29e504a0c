//! `/.well-known/soit-keys.json`: the public keys that checkpoints and evidence are signed for.

use axum::Json;
use axum::extract::State;
use types::chain::SigningKeys;

use crate::compose::App;

/// Every key, for everybody.
pub(super) async fn show_keys(State(app): State<App>) -> Json<SigningKeys> {
    Json(app.chain.list_keys())
}
