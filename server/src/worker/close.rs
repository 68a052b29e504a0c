//! Closes accounts whose day has come.

use std::time::Duration;

use kernel::port::Lifecycle;

use crate::compose::App;

/// Time between two looks.
const LOOK: Duration = Duration::from_secs(60);

/// Closes what is due until nothing new is to begin. Each account is closed by one process: who comes second finds it done.
pub(super) async fn close_due(app: App) {
    loop {
        if app.life.fence().is_some() {
            match app.identity.close_due_accounts().await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "accounts were closed"),
                Err(error) => tracing::warn!(%error, "accounts that are to be closed cannot be read"),
            }
        }
        tokio::select! {
            () = app.clock.sleep(LOOK) => {}
            () = app.shutdown.stopping() => return,
        }
    }
}
