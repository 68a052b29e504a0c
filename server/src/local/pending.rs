//! What this process has committed and not told the others yet, and what rings when they told it something.

use std::sync::{Mutex, PoisonError};

use kernel::port::Notice;
use tokio::sync::Notify;

/// What rings when another process told something.
#[derive(Debug, Default)]
pub struct Bells {
    /// Epochs were raised.
    pub epochs: Notify,
    /// Runs changed.
    pub runs: Notify,
}

/// Notices that wait, joined into one.
#[derive(Debug, Default)]
pub struct Pending {
    notice: Mutex<Notice>,
    rung: Notify,
}

impl Pending {
    /// Adds to what waits.
    pub fn add(&self, notice: Notice) {
        let mut waiting = self.notice.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.and(notice);
        drop(waiting);
        self.rung.notify_one();
    }

    /// Everything that waits, as soon as there is something.
    pub async fn take(&self) -> Notice {
        loop {
            let taken = std::mem::take(&mut *self.notice.lock().unwrap_or_else(PoisonError::into_inner));
            if !taken.is_empty() {
                return taken;
            }
            self.rung.notified().await;
        }
    }
}
