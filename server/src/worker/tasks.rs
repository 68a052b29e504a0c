//! Does tasks: takes what is ready into its free places, woken when tasks were opened or moved. Each task ends by itself, or is
//! given back when nothing new is to begin.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::compose::App;

/// Time between two looks when nothing wakes the loop: waits between attempts end, too.
const POLL: Duration = Duration::from_secs(1);
/// After a wake-up the loop waits this long, so that many changes share a look.
const GATHER: Duration = Duration::from_millis(50);
/// Most tasks taken at once.
const MOST: usize = 32;

/// Does tasks until nothing new is to begin.
pub(super) async fn do_tasks(app: App) {
    let places = Arc::new(Semaphore::new(app.config.worker.concurrency));
    let freed = Arc::new(Notify::new());
    while !app.shutdown.is_stopping() {
        let free = free(&places);
        let wanted = free.len();
        let taken = start(&app, free, &freed).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "tasks cannot be looked for");
            0
        });
        if taken == 0 || taken < wanted {
            wait(&app, &freed).await;
        }
    }
}

/// The places that are free now, as many as are taken at once.
fn free(places: &Arc<Semaphore>) -> Vec<OwnedSemaphorePermit> {
    std::iter::from_fn(|| Arc::clone(places).try_acquire_owned().ok()).take(MOST).collect()
}

/// Starts what is ready; how much there was.
async fn start(app: &App, free: Vec<OwnedSemaphorePermit>, freed: &Arc<Notify>) -> kernel::Result<usize> {
    if free.is_empty() {
        return Ok(0);
    }
    let taken = app.worker.take(u32::try_from(free.len()).unwrap_or(u32::MAX)).await?;
    let count = taken.len();
    for (place, taken) in free.into_iter().zip(taken) {
        app.metrics.tasks.taken(taken.waited);
        let (doing, freed) = (app.clone(), Arc::clone(freed));
        app.tasks.spawn(async move {
            let shutdown = doing.shutdown.clone();
            doing.worker.work(taken, async move { shutdown.stopping().await }).await;
            drop(place);
            freed.notify_one();
        });
    }
    Ok(count)
}

/// Until there may be something to take, and a place for it.
async fn wait(app: &App, freed: &Notify) {
    tokio::select! {
        () = app.tasks_changed.notified() => {}
        () = freed.notified() => return,
        () = app.clock.sleep(POLL) => return,
        () = app.shutdown.stopping() => return,
    }
    tokio::select! {
        () = app.clock.sleep(GATHER) => {}
        () = app.shutdown.stopping() => {}
    }
}
