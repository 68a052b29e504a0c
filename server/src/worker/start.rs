//! Starts every loop of the process.

use std::sync::Arc;

use super::{cancel, dispatch, epochs, heartbeat, notice, reap, tail, tidy};
use crate::compose::App;
use crate::task::Tracker;

/// Starts the loops. The heart beats until the end is forced; the others end when nothing new is to begin.
pub fn start(app: &App) -> Tracker {
    let loops = Tracker::default();
    loops.spawn(heartbeat::beat(app.clone()));
    loops.spawn(reap::reap_again(app.clone()));
    for consumer in app.consumers.iter() {
        loops.spawn(dispatch::dispatch(app.clone(), Arc::clone(consumer)));
    }
    loops.spawn(tidy::tidy(app.clone()));
    let watcher = app.clone();
    loops.spawn(async move { watcher.health.watch().await });
    if app.shares_store {
        loops.spawn(tail::tail(app.clone()));
        loops.spawn(cancel::heed(app.clone()));
        loops.spawn(epochs::ask(app.clone()));
        loops.spawn(notice::tell(app.clone()));
        loops.spawn(notice::hear(app.clone()));
    }
    loops
}
