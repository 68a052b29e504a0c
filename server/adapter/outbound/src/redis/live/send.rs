//! Sends what other processes want to hear.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use super::bus::RedisLive;
use super::subject::{channel, common};
use super::word::{Call, Said};
use crate::redis::Failure;

/// Pause after a failure, so that one that comes at once is not tried at once.
const PAUSE: Duration = Duration::from_millis(100);

impl RedisLive {
    /// Sends in order, many words at once. What cannot be sent is gone, and everybody is told as soon as that can be said.
    pub(super) async fn send(&self, instance: &str) {
        let mut is_lost = false;
        loop {
            let words = self.queue.take().await;
            let mut messages = redis::pipe();
            if is_lost {
                messages.publish(common(instance), self.said(Call::Lost)).ignore();
            }
            let count = words.len();
            for (subject, word) in words {
                messages.publish(channel(instance, subject), self.said(word)).ignore();
            }
            match self.redis.tell(&messages).await {
                Ok(()) => {
                    is_lost = false;
                    self.sent.fetch_add(number(count), Ordering::Relaxed);
                }
                Err(failure) => {
                    let dropped = count + self.queue.clear();
                    self.dropped.fetch_add(number(dropped), Ordering::Relaxed);
                    tracing::debug!(%failure, dropped, "live events do not reach other processes");
                    self.clock.sleep(PAUSE).await;
                    self.redis.connected().await;
                    is_lost = self.call(instance, Call::Lost).await.is_err();
                }
            }
        }
    }

    /// Says something to the other processes themselves.
    pub(super) async fn call(&self, instance: &str, call: Call) -> Result<(), Failure> {
        let mut message = redis::pipe();
        message.publish(common(instance), self.said(call)).ignore();
        self.redis.tell(&message).await
    }

    fn said<T: Serialize>(&self, what: T) -> String {
        Said(self.own.clone(), what).to_text()
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
