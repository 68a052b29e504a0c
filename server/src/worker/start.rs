//! Starts every loop of the process.

use std::sync::Arc;

use super::{
    cancel, close, copy, count, degraded, dispatch, epochs, heartbeat, index, notice, purge, reap, seal, sweep, tail,
    tasks, tidy,
};
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
    loops.spawn(tasks::do_tasks(app.clone()));
    loops.spawn(close::close_due(app.clone()));
    loops.spawn(tidy::tidy(app.clone()));
    loops.spawn(sweep::sweep_again(app.clone()));
    loops.spawn(purge::purge_again(app.clone()));
    loops.spawn(seal::seal_again(app.clone()));
    loops.spawn(copy::copy_again(app.clone()));
    loops.spawn(index::index_older(app.clone()));
    loops.spawn(count::count(app.clone()));
    let watcher = app.clone();
    loops.spawn(async move { watcher.health.watch().await });
    if let Some(shared) = &app.shared {
        for kept in shared.loops() {
            let shutdown = app.shutdown.clone();
            // Calls that are still going on are counted and told of.
            loops.spawn(async move {
                tokio::select! {
                    () = kept => {}
                    () = shutdown.aborting() => {}
                }
            });
        }
        loops.spawn(degraded::record(app.clone()));
    }
    if app.shares_store {
        loops.spawn(tail::tail(app.clone()));
        loops.spawn(cancel::heed(app.clone()));
        loops.spawn(epochs::ask(app.clone()));
        loops.spawn(notice::tell(app.clone()));
        loops.spawn(notice::hear(app.clone()));
    }
    loops
}
