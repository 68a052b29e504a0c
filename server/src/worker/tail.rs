//! Tells this process's live listeners what other processes committed: by tailing the store. Where Redis carries that word
//! it only makes up for what got lost on the way.

use std::time::Duration;

use chrono::TimeDelta;

use crate::compose::App;

/// Time between two looks while somebody listens.
const INTERVAL: Duration = Duration::from_millis(200);
/// The same while Redis tells.
const RARE: Duration = Duration::from_secs(5);
/// How far back each look reaches: a transaction's time lies before its commit. Hearing of a run twice does no harm.
const OVERLAP: TimeDelta = TimeDelta::milliseconds(500);

/// Looks until nothing new is to begin.
pub(super) async fn tail(app: App) {
    let mut since = None;
    let mut looked_at = Duration::ZERO;
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
        let started = app.clock.monotonic();
        let is_told = app.shared.as_ref().is_some_and(|shared| shared.live.is_up());
        // The first look only notes where to begin; it is never put off.
        if is_told && since.is_some() && started.saturating_sub(looked_at) < RARE {
            continue;
        }
        looked_at = started;
        let now = match app.processes.database_now().await {
            Ok(now) => now,
            Err(error) => {
                tracing::debug!(%error, "the store cannot be tailed");
                continue;
            }
        };
        let changed = app.runs.runs_changed_since(since.unwrap_or(now - OVERLAP)).await.unwrap_or_default();
        if let Err(error) = app.observe.announce_changed(&changed, &*app.live).await {
            tracing::debug!(%error, "what other processes changed cannot be told of whole");
        }
        since = Some(now - OVERLAP);
    }
}
