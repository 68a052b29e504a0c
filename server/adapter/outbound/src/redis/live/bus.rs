//! The live port of a process that shares Redis with others.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures::future::join;
use futures::stream::BoxStream;
use kernel::port::{Clock, Heard, Ids, Live, LiveEvent, Subject};
use tokio::sync::watch;

use super::queue::Queue;
use super::wanted::Wanted;
use super::word::Word;
use crate::redis::Redis;

/// The readers of this process.
pub trait Hub: Live {
    /// Lets the readers of a subject hear something.
    fn tell(&self, to: Subject, heard: Heard);
    /// Lets every reader hear that events may be lost.
    fn tell_all_lagged(&self);
    /// What is read here, as it changes.
    fn subjects(&self) -> watch::Receiver<HashSet<Subject>>;
}

/// How much went over Redis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Words sent to other processes.
    pub sent: u64,
    /// Words heard from other processes.
    pub heard: u64,
    /// Words that could not be sent; their readers went on from the store.
    pub dropped: u64,
}

/// Fans live events out to the readers of this process and of every other one on the same Redis.
pub struct RedisLive {
    pub(super) redis: Arc<Redis>,
    pub(super) hub: Arc<dyn Hub>,
    pub(super) clock: Arc<dyn Clock>,
    /// This process, among those that speak.
    pub(super) own: String,
    pub(super) wanted: Wanted,
    pub(super) queue: Queue,
    pub(super) is_listening: AtomicBool,
    pub(super) sent: AtomicU64,
    pub(super) heard: AtomicU64,
    pub(super) dropped: AtomicU64,
}

impl RedisLive {
    /// Between the readers here and Redis. Nothing goes over until [`run`](Self::run) does.
    pub fn new(redis: Arc<Redis>, hub: Arc<dyn Hub>, clock: Arc<dyn Clock>, ids: &dyn Ids) -> Self {
        Self {
            redis,
            hub,
            clock,
            own: ids.uuid().simple().to_string(),
            wanted: Wanted::default(),
            queue: Queue::default(),
            is_listening: AtomicBool::new(false),
            sent: AtomicU64::new(0),
            heard: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        }
    }

    /// Sends and hears for as long as it is polled, among the processes of the instance of that name.
    pub async fn run(&self, instance: &str) {
        join(self.send(instance), self.listen_on(instance)).await;
    }

    /// Whether what other processes say is heard.
    pub fn is_up(&self) -> bool {
        self.is_listening.load(Ordering::Relaxed)
    }

    /// How much went over so far.
    pub fn figures(&self) -> Figures {
        Figures {
            sent: self.sent.load(Ordering::Relaxed),
            heard: self.heard.load(Ordering::Relaxed),
            dropped: self.dropped.load(Ordering::Relaxed),
        }
    }

    fn put(&self, to: Subject, word: impl FnOnce() -> Word) {
        if self.wanted.has(to, self.clock.monotonic()) && !self.queue.put(to, word()) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Live for RedisLive {
    fn publish(&self, event: LiveEvent) {
        match &event {
            // The word that the run changed follows: stored events are read from the store.
            LiveEvent::Stored(_) => {}
            LiveEvent::Delta { run_id, chars, text } => {
                self.put(Subject::Run(*run_id), || Word::Delta { chars: *chars, text: text.clone() });
            }
            LiveEvent::RunChanged(scope, run_id) => {
                self.put(Subject::Run(*run_id), || Word::More);
                self.put(Subject::Workspace(*scope), || Word::Run(*run_id));
            }
            LiveEvent::Changed(scope, hint) => self.put(Subject::Workspace(*scope), || Word::Hint(hint.clone())),
        }
        self.hub.publish(event);
    }

    fn has_listeners(&self, to: Subject) -> bool {
        self.hub.has_listeners(to) || self.wanted.has(to, self.clock.monotonic())
    }

    fn listen(&self, to: Subject) -> BoxStream<'static, Heard> {
        self.hub.listen(to)
    }
}

impl std::fmt::Debug for RedisLive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisLive").field("figures", &self.figures()).finish_non_exhaustive()
    }
}
