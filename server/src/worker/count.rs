//! Counts once what was there before the counters of usage, and makes old rows of them coarser.

use std::time::Duration;

use kernel::port::{Recount, StoreError};
use kernel::usage::{HOURS_KEPT, MINUTES_KEPT};

use crate::compose::App;

/// Time between two passes.
const AGAIN: Duration = Duration::from_secs(3600);
/// The same after one that failed.
const SOON: Duration = Duration::from_secs(60);

/// Looks after the counters until nothing new is to begin.
pub(super) async fn count(app: App) {
    loop {
        let wait = match pass(&app).await {
            Ok(()) => AGAIN,
            Err(error) => {
                tracing::warn!(%error, "counters of usage cannot be looked after");
                SOON
            }
        };
        tokio::select! {
            () = app.clock.sleep(wait) => {}
            () = app.shutdown.stopping() => return,
        }
    }
}

async fn pass(app: &App) -> Result<(), StoreError> {
    if !app.counters.is_filled().await? {
        let counted = app.counters.recount(Recount::Fill).await?.len();
        if counted > 0 {
            tracing::info!(counters = counted, "runs from before the counters of usage are counted");
        }
    }
    let now = app.clock.now();
    app.counters.roll_up(now - MINUTES_KEPT, now - HOURS_KEPT).await
}
