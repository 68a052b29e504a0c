//! Records in each workspace concerned that its minute limits were counted by this process alone.

use std::time::Duration;

use kernel::context::Scope;
use kernel::ledger::{Batch, Durability, Event, LedgerError};
use kernel::port::Lifecycle;
use serde_json::json;

use crate::compose::App;

/// The event's name.
const DEGRADED: &str = "limits.degraded";
/// Pause before what could not be recorded is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// Records until nothing new is to begin.
pub(super) async fn record(app: App) {
    loop {
        let scopes = tokio::select! {
            scopes = app.degraded.next() => scopes,
            () = app.shutdown.stopping() => return,
        };
        let mut left = Vec::new();
        for scope in scopes {
            if let Err(error) = tell(&app, scope).await {
                tracing::warn!(%error, "a workspace cannot be told that its limits are counted apart");
                left.push(scope);
            }
        }
        if !left.is_empty() {
            app.degraded.put_back(left);
            tokio::select! {
                () = app.clock.sleep(PAUSE) => {}
                () = app.shutdown.stopping() => return,
            }
        }
    }
}

async fn tell(app: &App, scope: Scope) -> Result<(), LedgerError> {
    // One that may be dead itself says nothing; it will be asked again.
    let Some(fence) = app.life.fence() else { return Err(LedgerError::Unavailable("no fence".to_owned())) };
    let payload = json!({ "process_id": fence.process_id, "limits": "per_minute", "counted_by": "process" });
    let event = Event::new(&*app.ids, DEGRADED, fence.process_id, payload, app.clock.now());
    let batch = Batch::opening(scope, Durability::Process).fenced(fence).with([event.into()]);
    app.ledger.commit(batch).await.map(drop)
}
