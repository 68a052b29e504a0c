//! Gives runs of an earlier soit the texts they are found by; ends when all have them.

use std::time::Duration;

use crate::compose::App;

/// Runs of one transaction.
const AT_ONCE: u32 = 200;
/// Time between two of them, for whoever else writes.
const BREATH: Duration = Duration::from_millis(50);
/// Time after one that failed.
const PAUSE: Duration = Duration::from_secs(30);

pub(super) async fn index_older(app: App) {
    loop {
        let pause = match app.store.index_older_runs(AT_ONCE).await {
            Ok(false) => return,
            Ok(true) => BREATH,
            Err(error) => {
                tracing::warn!(%error, "texts of older runs could not be indexed, it is tried again");
                PAUSE
            }
        };
        tokio::select! {
            () = app.clock.sleep(pause) => {}
            () = app.shutdown.stopping() => return,
        }
    }
}
