//! Tells this process's live listeners what other processes committed, where no bus carries it: by tailing the store.

use std::time::Duration;

use chrono::TimeDelta;

use crate::compose::App;

/// Time between two looks while somebody listens.
const INTERVAL: Duration = Duration::from_millis(200);
/// How far back each look reaches: a transaction's time lies before its commit. Hearing of a run twice does no harm.
const OVERLAP: TimeDelta = TimeDelta::milliseconds(500);

/// Looks until nothing new is to begin.
pub(super) async fn tail(app: App) {
    let mut since = None;
    loop {
        tokio::select! {
            () = app.clock.sleep(INTERVAL) => {}
            () = app.bells.runs.notified() => {}
            () = app.shutdown.stopping() => return,
        }
        if app.live.listeners() == 0 {
            since = None;
            continue;
        }
        let now = match app.processes.database_now().await {
            Ok(now) => now,
            Err(error) => {
                tracing::debug!(%error, "the store cannot be tailed");
                continue;
            }
        };
        let changed = app.runs.runs_changed_since(since.unwrap_or(now - OVERLAP)).await.unwrap_or_default();
        if let Err(error) = app.observe.announce_changed(&changed).await {
            tracing::debug!(%error, "what other processes changed cannot be told of whole");
        }
        since = Some(now - OVERLAP);
    }
}
