//! Ends this process's runs that were asked to end in another one.

use std::time::Duration;

use kernel::port::Lifecycle;

use crate::compose::App;

/// Time between two looks while calls go on.
const INTERVAL: Duration = Duration::from_millis(500);

/// Looks until nothing new is to begin.
pub(super) async fn heed(app: App) {
    loop {
        tokio::select! {
            () = app.clock.sleep(INTERVAL) => {}
            () = app.shutdown.stopping() => return,
        }
        let Some(own) = app.life.fence() else { continue };
        if let Err(error) = app.control.heed(own).await {
            tracing::debug!(%error, "runs that were asked to end cannot be looked for");
        }
    }
}
