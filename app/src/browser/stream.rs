//! Server-sent event streams, kept open while the page is visible.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast as _;
use web_sys::{EventSource, MessageEvent, VisibilityState};

use super::shared::{Channel, Message, Seat};

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Its address.
    pub(crate) url: String,
    /// The name under which the tabs of this browser share it; without one each reads for itself.
    pub(crate) shared_as: Option<String>,
}

/// How a stream is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StreamState {
    /// Open.
    Live,
    /// Lost, and being opened again.
    Reconnecting,
    /// Closed while the page is hidden.
    Paused,
    /// Not wanted, or the page has not woken up yet.
    #[default]
    Off,
}

/// What arrives.
pub(crate) enum Incoming<'a> {
    /// An event.
    Event {
        /// Its name, `message` where it has none.
        name: &'a str,
        /// Its data.
        data: &'a str,
        /// The id of the last event that had one.
        id: &'a str,
    },
    /// The stream is open again: what happened in between is not known.
    Reopened,
}

/// Shortest and longest wait before a refused stream is tried again, in seconds.
const BACK_OFF: (u64, u64) = (1, 30);

/// Follows a stream, as long as there is one, the page is visible and the owner lives. Of the tabs that share it one reads, as
/// long as it is visible; the next one then opens it anew. Without Web Locks every visible tab reads for itself.
pub(crate) fn open_stream(
    source: Signal<Option<Source>>,
    names: &'static [&'static str],
    on_incoming: impl Fn(Incoming<'_>) + Clone + 'static,
) -> ReadSignal<StreamState> {
    let follower = Follower { state: RwSignal::default(), missed: Rc::default(), on_incoming };
    let state = follower.state.read_only();
    // The same source again is no reason to open it anew.
    let source = Memo::new(move |_| source.get());
    // The effect's own value is the tab's seat: the next run leaves the one before.
    Effect::new(move |before: Option<Option<Seat>>| {
        drop(before);
        let Some(source) = source.get() else {
            follower.turn(StreamState::Off);
            return None;
        };
        if !is_visible().get() {
            follower.turn(StreamState::Paused);
            return None;
        }
        follower.turn(StreamState::Reconnecting);
        let reads = RwSignal::new(false);
        let seat = source.shared_as.and_then(|name| take_seat(&name, &follower, reads));
        if seat.is_none() {
            reads.set(true);
        }
        let channel = seat.as_ref().map(Seat::channel);
        read(source.url, names, reads, follower.clone(), channel);
        seat
    });
    state
}

/// A seat among the tabs that share a stream: they are listened to until it is this tab's turn to read.
fn take_seat<F: Fn(Incoming<'_>) + Clone + 'static>(
    name: &str,
    follower: &Follower<F>,
    reads: RwSignal<bool>,
) -> Option<Seat> {
    let (listener, reader) = (follower.clone(), follower.clone());
    let on_message = move |message: Message| match (reads.try_get_untracked()?, message) {
        (true, Message::Joined) => Some(Message::State(listener.state.try_get_untracked()?)),
        (false, Message::State(state)) => {
            listener.turn(state);
            None
        }
        (false, Message::Event { name, data, id }) => {
            (listener.on_incoming)(Incoming::Event { name: &name, data: &data, id: &id });
            None
        }
        _ => None,
    };
    let on_turn = move |channel: &Channel| {
        // Whoever read before, nobody does now.
        reader.lose();
        channel.say(&Message::State(StreamState::Reconnecting));
        let _ = reads.try_set(true);
    };
    Seat::take(name, on_message, on_turn)
}

/// Who follows a stream.
#[derive(Clone)]
struct Follower<F> {
    state: RwSignal<StreamState>,
    /// Whether something may have happened unheard.
    missed: Rc<Cell<bool>>,
    on_incoming: F,
}

impl<F: Fn(Incoming<'_>)> Follower<F> {
    /// Takes note of how the stream is. Live again, what was missed is asked for; on the way to be live for the first time
    /// nothing was.
    fn turn(&self, state: StreamState) {
        let Some(before) = self.state.try_get_untracked() else { return };
        if state != StreamState::Live {
            let is_first = before == StreamState::Off && state != StreamState::Paused;
            self.missed.set(self.missed.get() || !is_first);
        } else if self.missed.take() {
            (self.on_incoming)(Incoming::Reopened);
        }
        let _ = self.state.try_set(state);
    }

    /// Takes note that the stream ends, if it was live.
    fn lose(&self) {
        if self.state.try_get_untracked() == Some(StreamState::Live) {
            self.turn(StreamState::Reconnecting);
        }
    }
}

/// Keeps the stream of an address open while this tab is to read it, and tells the others. Network losses are mended by the
/// browser itself, which resumes by the last id; a refused stream is tried again after 1, 2, 4 … 30 seconds.
fn read<F: Fn(Incoming<'_>) + Clone + 'static>(
    url: String,
    names: &'static [&'static str],
    reads: RwSignal<bool>,
    follower: Follower<F>,
    channel: Option<Rc<Channel>>,
) {
    let failures = StoredValue::new(0_u32);
    let attempt = RwSignal::new(0_u32);
    // The effect's own value is the connection: it exists in the browser only, and the next run closes the one before.
    Effect::new(move |before: Option<Option<Connection>>| {
        attempt.track();
        drop(before);
        if !reads.get() {
            return None;
        }
        let (follower, channel) = (follower.clone(), channel.clone());
        let say = move |message: &Message| {
            if let Some(channel) = &channel {
                channel.say(message);
            }
        };
        let hear = {
            let (on_incoming, say) = (follower.on_incoming.clone(), say.clone());
            move |incoming: Incoming<'_>| {
                if let Some(message) = Message::of(&incoming) {
                    say(&message);
                }
                on_incoming(incoming);
            }
        };
        let turn = move |state: StreamState| {
            follower.turn(state);
            say(&Message::State(state));
        };
        let on_change = move |change: Change| match change {
            Change::Opened => {
                failures.set_value(0);
                turn(StreamState::Live);
            }
            Change::Lost => turn(StreamState::Reconnecting),
            Change::Refused => {
                let count = failures.get_value();
                failures.set_value(count.saturating_add(1));
                let wait = BACK_OFF.0.saturating_mul(2_u64.saturating_pow(count)).min(BACK_OFF.1);
                turn(StreamState::Reconnecting);
                set_timeout(
                    move || attempt.try_update(|number| *number += 1).unwrap_or_default(),
                    Duration::from_secs(wait),
                );
            }
        };
        Connection::open(&url, names, hear, on_change)
    });
}

/// Whether the page is visible. Made once for each effect run that asks.
fn is_visible() -> Signal<bool> {
    let now = || document().visibility_state() == VisibilityState::Visible;
    let visible = RwSignal::new(now());
    let handle = window_event_listener_untyped("visibilitychange", move |_| visible.set(now()));
    on_cleanup(move || handle.remove());
    visible.into()
}

enum Change {
    Opened,
    Lost,
    Refused,
}

/// An open stream with its listeners; dropping it closes it.
struct Connection {
    source: EventSource,
    _on_event: Vec<Closure<dyn FnMut(MessageEvent)>>,
    _on_open: Closure<dyn FnMut()>,
    _on_error: Closure<dyn FnMut()>,
}

impl Connection {
    fn open(
        url: &str,
        names: &'static [&'static str],
        on_incoming: impl Fn(Incoming<'_>) + Clone + 'static,
        on_change: impl Fn(Change) + Clone + 'static,
    ) -> Option<Self> {
        let source = EventSource::new(url).ok()?;
        let on_event = names
            .iter()
            .map(|name| {
                let on_incoming = on_incoming.clone();
                let listener = Closure::new(move |event: MessageEvent| {
                    let data = event.data().as_string().unwrap_or_default();
                    on_incoming(Incoming::Event { name, data: &data, id: &event.last_event_id() });
                });
                let _ = source.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
                listener
            })
            .collect();
        let opened = on_change.clone();
        let on_open = Closure::new(move || opened(Change::Opened));
        let failed = source.clone();
        let on_error = Closure::new(move || {
            on_change(if failed.ready_state() == EventSource::CLOSED { Change::Refused } else { Change::Lost });
        });
        source.set_onopen(Some(on_open.as_ref().unchecked_ref()));
        source.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Self { source, _on_event: on_event, _on_open: on_open, _on_error: on_error })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.source.set_onopen(None);
        self.source.set_onerror(None);
        self.source.close();
    }
}
