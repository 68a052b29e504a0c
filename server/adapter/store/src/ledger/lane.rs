//! The tasks that write: each takes what waits for its lane and writes it, until the store closes.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::queue::Queue;
use super::writer::Writer;

/// Starts one task a lane. They end when the queue is closed and empty.
#[expect(
    clippy::disallowed_methods,
    reason = "lanes are not tracked tasks: shutdown waits for them last, by `Store::close`"
)]
pub(crate) fn spawn(queue: &Arc<Queue>, writer: &Arc<Writer>) -> Vec<JoinHandle<()>> {
    (0..queue.lanes())
        .map(|lane| {
            let (queue, writer) = (Arc::clone(queue), Arc::clone(writer));
            tokio::spawn(async move {
                while let Some(jobs) = queue.take(lane).await {
                    writer.write(lane, jobs).await;
                }
            })
        })
        .collect()
}
