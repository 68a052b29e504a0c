//! Copies checkpoints out, again and again; of several processes one does.

use std::time::Duration;

use kernel::chain::Copier;

use crate::compose::App;

/// Time between two passes.
const INTERVAL: Duration = Duration::from_secs(15);

/// One pass over all chains, where copies are wanted.
pub async fn copy_due(app: &App) -> kernel::Result<()> {
    match &app.copier {
        Some(copier) => pass(app, copier).await,
        None => Ok(()),
    }
}

async fn pass(app: &App, copier: &Copier) -> kernel::Result<()> {
    let copied = copier.copy_due().await?;
    app.metrics.liveness.copied(copied.copies, copied.oldest.unwrap_or_default(), copied.failure.is_some());
    if let Some(error) = copied.failure {
        tracing::warn!(%error, "a copy of a checkpoint was not taken, it is tried again");
    }
    Ok(())
}

pub(super) async fn copy_again(app: App) {
    while app.copier.is_some() {
        if let Err(error) = copy_due(&app).await {
            tracing::warn!(%error, "checkpoints could not be copied out");
        }
        tokio::select! {
            () = app.clock.sleep(INTERVAL) => {}
            () = app.shutdown.stopping() => return,
        }
    }
}
