//! Live events between the tasks of this process.
//!
//! Invariant: publishing never waits. A listener that falls behind loses events and is told so; it goes on from the store.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use adapter_outbound::redis::Hub;
use futures::stream::{self, BoxStream, StreamExt};
use kernel::port::{Heard, Live, LiveEvent, Subject};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender, channel};
use tokio::sync::watch;

use crate::shutdown::Shutdown;

/// Events a listener may be behind.
const BUFFER: usize = 1000;

/// Who listens to what.
#[derive(Debug)]
pub struct LiveHub {
    channels: Arc<Channels>,
    shutdown: Shutdown,
}

#[derive(Debug, Default)]
struct Channels {
    senders: RwLock<HashMap<Subject, Sender<Heard>>>,
    /// The subjects among them, for whoever follows what is listened to. Changed while the senders are locked.
    subjects: watch::Sender<HashSet<Subject>>,
}

impl LiveHub {
    /// Nobody listens yet. Listening ends when nothing new is to begin.
    pub fn new(shutdown: Shutdown) -> Self {
        Self { channels: Arc::default(), shutdown }
    }

    /// How many listeners there are.
    pub fn listeners(&self) -> usize {
        let senders = self.channels.senders.read().unwrap_or_else(PoisonError::into_inner);
        senders.values().map(Sender::receiver_count).sum()
    }

    fn send(&self, to: Subject, event: LiveEvent) {
        self.tell(to, Heard::Event(event));
    }
}

impl Hub for LiveHub {
    fn tell(&self, to: Subject, heard: Heard) {
        let senders = self.channels.senders.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(listeners) = senders.get(&to) {
            // An error only says that the last listener has just left.
            let _ = listeners.send(heard);
        }
    }

    fn tell_all_lagged(&self) {
        let senders = self.channels.senders.read().unwrap_or_else(PoisonError::into_inner);
        for listeners in senders.values() {
            let _ = listeners.send(Heard::Lagged);
        }
    }

    fn subjects(&self) -> watch::Receiver<HashSet<Subject>> {
        self.channels.subjects.subscribe()
    }
}

impl Live for LiveHub {
    fn publish(&self, event: LiveEvent) {
        match &event {
            LiveEvent::Stored(stored) => self.send(Subject::Run(stored.run_id), event),
            LiveEvent::Delta { run_id, .. } => self.send(Subject::Run(*run_id), event),
            LiveEvent::RunChanged(scope, run_id) => {
                self.send(Subject::Workspace(*scope), event.clone());
                self.send(Subject::Run(*run_id), event);
            }
            LiveEvent::Changed(scope, _) => self.send(Subject::Workspace(*scope), event),
        }
    }

    fn has_listeners(&self, to: Subject) -> bool {
        self.channels.senders.read().unwrap_or_else(PoisonError::into_inner).contains_key(&to)
    }

    fn listen(&self, to: Subject) -> BoxStream<'static, Heard> {
        let mut senders = self.channels.senders.write().unwrap_or_else(PoisonError::into_inner);
        let receiver = senders.entry(to).or_insert_with(|| channel(BUFFER).0).subscribe();
        self.channels.subjects.send_if_modified(|subjects| subjects.insert(to));
        drop(senders);
        let listener = Listener { channels: Arc::clone(&self.channels), to, receiver: Some(receiver) };
        let shutdown = self.shutdown.clone();
        let stopping = async move { shutdown.stopping().await };
        stream::unfold(listener, Listener::hear).take_until(stopping).boxed()
    }
}

/// Listens until it is dropped; the last one takes the channel with it.
struct Listener {
    channels: Arc<Channels>,
    to: Subject,
    receiver: Option<Receiver<Heard>>,
}

impl Listener {
    async fn hear(mut self) -> Option<(Heard, Self)> {
        let heard = match self.receiver.as_mut()?.recv().await {
            Ok(heard) => heard,
            Err(RecvError::Lagged(_)) => Heard::Lagged,
            Err(RecvError::Closed) => return None,
        };
        Some((heard, self))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut senders = self.channels.senders.write().unwrap_or_else(PoisonError::into_inner);
        self.receiver = None;
        if senders.get(&self.to).is_some_and(|listeners| listeners.receiver_count() == 0) {
            senders.remove(&self.to);
            self.channels.subjects.send_if_modified(|subjects| subjects.remove(&self.to));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use types::id::{RunId, Uuid};

    async fn open() -> (Arc<LiveHub>, Arc<LiveHub>, ()) {
        let hub = Arc::new(LiveHub::new(Shutdown::default()));
        (Arc::clone(&hub), hub, ())
    }

    testkit::live_contract!(open);

    fn run(number: u128) -> RunId {
        RunId::from_uuid(Uuid::from_u128(number))
    }

    fn delta(run_id: RunId, text: &str) -> LiveEvent {
        LiveEvent::Delta { run_id, chars: 0, text: text.to_owned() }
    }

    #[tokio::test]
    async fn listeners_hear_their_subject_and_leave_nothing_behind() {
        let hub = LiveHub::new(Shutdown::default());
        assert!(!hub.has_listeners(Subject::Run(run(1))));
        let mut first = hub.listen(Subject::Run(run(1)));
        let mut second = hub.listen(Subject::Run(run(1)));
        hub.publish(delta(run(2), "no"));
        hub.publish(delta(run(1), "yes"));
        for listener in [&mut first, &mut second] {
            assert_eq!(listener.next().await, Some(Heard::Event(delta(run(1), "yes"))));
            assert_eq!(listener.next().now_or_never(), None);
        }
        drop(first);
        assert!(hub.has_listeners(Subject::Run(run(1))));
        assert_eq!(*hub.subjects().borrow(), HashSet::from([Subject::Run(run(1))]));
        drop(second);
        assert!(!hub.has_listeners(Subject::Run(run(1))) && hub.subjects().borrow().is_empty());
        assert_eq!(hub.listeners(), 0);
    }

    #[tokio::test]
    async fn a_slow_listener_is_told_and_goes_on() {
        let hub = LiveHub::new(Shutdown::default());
        let mut listener = hub.listen(Subject::Run(run(1)));
        (0..BUFFER * 2).for_each(|_| hub.publish(delta(run(1), "x")));
        assert_eq!(listener.next().await, Some(Heard::Lagged));
        assert_eq!(listener.next().await, Some(Heard::Event(delta(run(1), "x"))));
    }

    #[tokio::test]
    async fn listening_ends_with_the_process() {
        let shutdown = Shutdown::default();
        let hub = LiveHub::new(shutdown.clone());
        let mut listener = hub.listen(Subject::Run(run(1)));
        shutdown.stop();
        assert_eq!(listener.next().await, None);
    }
}
