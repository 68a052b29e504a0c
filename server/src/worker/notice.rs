//! Tells other processes what was committed here, and hears it of them: both only to look sooner than by the next poll.

use std::time::Duration;

use futures::StreamExt;
use kernel::port::{Notice, StoreError};

use crate::compose::App;

/// Least time between two notices of this process: those of many commits are one.
const GATHER: Duration = Duration::from_millis(50);
/// Time between two tries to listen.
const RETRY: Duration = Duration::from_millis(500);

/// Tells until nothing new is to begin.
pub(super) async fn tell(app: App) {
    loop {
        let notice = tokio::select! {
            notice = app.pending.take() => notice,
            () = app.shutdown.stopping() => return,
        };
        if let Err(error) = app.notices.tell(app.fence.process_id, notice).await {
            tracing::debug!(%error, "others are not told, they will find out by themselves");
        }
        app.clock.sleep(GATHER).await;
    }
}

/// Hears until nothing new is to begin.
pub(super) async fn hear(app: App) {
    loop {
        tokio::select! {
            told = hear_while_connected(&app) => match told {
                Ok(()) => return,
                Err(error) => tracing::debug!(%error, "other processes are not heard, they are looked for instead"),
            },
            () = app.shutdown.stopping() => return,
        }
        app.clock.sleep(RETRY).await;
    }
}

async fn hear_while_connected(app: &App) -> Result<(), StoreError> {
    let Some(mut told) = app.notices.listen(app.fence.process_id).await? else { return Ok(()) };
    // Whatever was told before is looked for once.
    heed(app, Notice { epochs: true, runs: true, events: true, tasks: true });
    while let Some(notice) = told.next().await {
        heed(app, notice?);
    }
    Ok(())
}

fn heed(app: &App, notice: Notice) {
    if notice.epochs {
        app.bells.epochs.notify_one();
    }
    if notice.runs {
        app.bells.runs.notify_one();
    }
    if notice.events {
        app.events.send_replace(());
    }
    if notice.tasks {
        app.tasks_changed.notify_one();
    }
}
