//! Forgets what is remembered no longer.

use std::time::Duration;

use crate::compose::App;

/// Time between two passes.
const INTERVAL: Duration = Duration::from_secs(3600);
/// Rows of one statement.
const AT_ONCE: u32 = 1_000;

/// Forgets claims that are over, every hour. Several processes may do it at once.
pub(super) async fn tidy(app: App) {
    loop {
        loop {
            match app.claims.prune_claims(AT_ONCE).await {
                Ok(forgotten) if forgotten == u64::from(AT_ONCE) && !app.shutdown.is_stopping() => {}
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(%error, "claims that are over could not be forgotten");
                    break;
                }
            }
        }
        tokio::select! {
            () = app.clock.sleep(INTERVAL) => {}
            () = app.shutdown.stopping() => return,
        }
    }
}
