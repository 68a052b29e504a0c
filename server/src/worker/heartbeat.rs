//! Proves that the process is alive, and makes it stand still when it cannot.

use std::time::Duration;

use kernel::ledger::Fence;
use kernel::port::{Lifecycle, StoreError};

use crate::compose::App;

/// Time between two beats.
const INTERVAL: Duration = Duration::from_secs(5);
/// Time without a successful beat after which the process takes itself for dead; others do so after 20 s.
const SILENCE: Duration = Duration::from_secs(15);

/// What a beat came to.
enum Beat {
    /// The process is alive.
    Alive,
    /// It was declared dead and lives on under this new fence.
    Reborn(Fence),
    /// The store said nothing.
    Unheard,
}

/// Beats until the process has ended its work; its row is closed afterwards.
pub(super) async fn beat(app: App) {
    let mut fence = app.fence;
    let mut heard_at = app.clock.monotonic();
    loop {
        tokio::select! {
            () = app.clock.sleep(INTERVAL) => {}
            () = app.shutdown.aborting() => return,
        }
        let asked_at = app.clock.monotonic();
        let beat = send(&app, fence).await;
        match beat {
            Beat::Alive | Beat::Reborn(_) => app.life.heard(asked_at),
            Beat::Unheard => app.life.unheard(),
        }
        match beat {
            Beat::Alive => {
                heard_at = asked_at;
                if app.life.fence().is_none() {
                    tracing::warn!("the store answers again, this process goes on");
                    app.life.take_fence(fence);
                }
            }
            Beat::Reborn(new) => {
                (fence, heard_at) = (new, asked_at);
                tracing::warn!("this process was declared dead and registered again");
                app.life.lose_fence();
                app.life.take_fence(fence);
            }
            Beat::Unheard => {}
        }
        let silence = app.clock.monotonic().saturating_sub(heard_at);
        if silence >= SILENCE && app.life.fence().is_some() {
            tracing::error!(
                silence_s = silence.as_secs(),
                "no heartbeat reaches the store, nothing is started any more"
            );
            app.life.lose_fence();
        }
    }
}

async fn send(app: &App, fence: Fence) -> Beat {
    let beat = async {
        if app.processes.beat(fence).await? {
            return Ok(Beat::Alive);
        }
        let role = app.config.process.role.as_str();
        let new = app.processes.register(app.ids.process(), role, env!("CARGO_PKG_VERSION"), false).await?;
        Ok::<_, StoreError>(Beat::Reborn(new))
    };
    tokio::select! {
        outcome = beat => outcome.unwrap_or_else(|error| {
            tracing::warn!(%error, "a heartbeat failed");
            Beat::Unheard
        }),
        () = app.clock.sleep(INTERVAL) => Beat::Unheard,
    }
}
