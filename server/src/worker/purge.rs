//! Takes out what its time is over, after the start and then every hour; several processes may do it at once.

use std::time::Duration;

use crate::compose::App;

/// Time between two passes.
const INTERVAL: Duration = Duration::from_secs(3600);
/// The same while there is more.
const BEHIND: Duration = Duration::from_secs(1);

/// One pass over all workspaces. Whether there is more.
pub async fn purge(app: &App) -> kernel::Result<bool> {
    let swept = app.purger.pass(|| !app.shutdown.is_stopping()).await?;
    app.metrics.retention.swept(&swept);
    let is_behind = swept.behind > 0;
    if !is_behind && !app.shutdown.is_stopping() {
        app.purger.wipe().await?;
    }
    Ok(is_behind)
}

pub(super) async fn purge_again(app: App) {
    loop {
        let wait = match purge(&app).await {
            Ok(true) => BEHIND,
            Ok(false) => INTERVAL,
            Err(error) => {
                tracing::warn!(error = ?error, "what is over cannot be taken out");
                INTERVAL
            }
        };
        tokio::select! {
            () = app.clock.sleep(wait) => {}
            () = app.shutdown.stopping() => return,
        }
    }
}
