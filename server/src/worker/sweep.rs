//! Deletes artifacts whose time is over and objects that no row names, after the start and then again and again.

use std::time::Duration;

use crate::compose::App;

/// Time between two passes.
const INTERVAL: Duration = Duration::from_secs(3600);

/// One pass.
pub async fn sweep(app: &App) -> kernel::Result<()> {
    let swept = app.sweeper.pass().await?;
    app.metrics.artifacts.swept(swept);
    if swept.orphans > 0 {
        tracing::info!(objects = swept.orphans, "deleted objects that no row names");
    }
    Ok(())
}

pub(super) async fn sweep_again(app: App) {
    loop {
        tokio::select! {
            swept = sweep(&app) => {
                if let Err(error) = swept {
                    tracing::warn!(%error, "artifacts cannot be swept");
                }
            }
            () = app.shutdown.stopping() => return,
        }
        tokio::select! {
            () = app.clock.sleep(INTERVAL) => {}
            () = app.shutdown.stopping() => return,
        }
    }
}
