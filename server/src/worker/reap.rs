//! Ends what dead processes left, once before serving and then again and again.

use std::time::Duration;

use kernel::port::Lifecycle;
use kernel::reaper::SILENCE;

use crate::compose::App;

/// Time between two passes.
const INTERVAL: Duration = Duration::from_secs(5);

/// One pass.
pub async fn reap(app: &App) -> kernel::Result<()> {
    let is_steady = app.life.is_steady(app.clock.monotonic(), SILENCE);
    let buried = if is_steady { app.reaper.bury().await? } else { 0 };
    let reaped = app.reaper.pass().await?;
    let counts = [
        ("process", buried),
        ("run", reaped.runs),
        ("call", reaped.calls),
        ("hold", reaped.holds),
        ("key", reaped.keys),
        ("task", reaped.tasks),
    ];
    for (kind, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        app.metrics.liveness.reaped(kind, count);
    }
    if reaped.runs > 0 {
        tracing::warn!(runs = reaped.runs, calls = reaped.calls, "ended what a dead process left");
    }
    Ok(())
}

pub(super) async fn reap_again(app: App) {
    loop {
        tokio::select! {
            () = app.clock.sleep(INTERVAL) => {}
            () = app.shutdown.stopping() => return,
        }
        // One that may be dead itself ends nobody's work.
        if app.life.fence().is_none() {
            continue;
        }
        if let Err(error) = reap(&app).await {
            tracing::warn!(%error, "a pass of the reaper failed");
        }
    }
}
