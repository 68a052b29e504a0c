//! Seals hash chains with signed checkpoints, again and again; several processes may do it at once.

use std::time::Duration;

use crate::compose::App;

/// Time between two passes.
const INTERVAL: Duration = Duration::from_secs(15);

/// One pass over all chains.
pub async fn seal_due(app: &App) -> kernel::Result<()> {
    // Another process may have made another key.
    app.signing_keys.refresh().await?;
    let oldest = app.chain.seal_due().await?;
    app.metrics.liveness.waits_for_checkpoint(oldest.unwrap_or_default());
    Ok(())
}

pub(super) async fn seal_again(app: App) {
    loop {
        tokio::select! {
            () = app.clock.sleep(INTERVAL) => {}
            () = app.shutdown.stopping() => return,
        }
        if let Err(error) = seal_due(&app).await {
            tracing::warn!(%error, "a pass over the chains failed");
        }
    }
}
