//! The lanes that write: each takes what waits for it and writes it, until the store closes.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::queue::Queue;
use super::writer::Writer;

/// Starts the lanes, each a task, or on `own_thread` for a database whose statements block. They end when the queue is
/// closed and empty. They are no tracked tasks: shutdown waits for them last, by `Store::close`.
pub(crate) fn spawn(queue: &Arc<Queue>, writer: &Arc<Writer>, own_thread: bool) -> Vec<JoinHandle<()>> {
    let runtime = Handle::current();
    (0..queue.lanes())
        .map(|lane| {
            let writing = write(Arc::clone(queue), Arc::clone(writer), lane);
            if own_thread {
                let here = runtime.clone();
                runtime.spawn_blocking(move || here.block_on(writing))
            } else {
                runtime.spawn(writing)
            }
        })
        .collect()
}

async fn write(queue: Arc<Queue>, writer: Arc<Writer>, lane: usize) {
    while let Some(jobs) = queue.take(lane).await {
        writer.write(lane, jobs).await;
    }
}
