//! One server-sent event stream, kept open while the page is visible.

use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast as _;
use web_sys::{EventSource, MessageEvent, VisibilityState};

/// How a stream is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The stream was opened anew: what happened in between is not known.
    Reopened,
}

/// Shortest and longest wait before a refused stream is tried again, in seconds.
const BACK_OFF: (u64, u64) = (1, 30);

/// Keeps the stream of `url` open, as long as there is one, the page is visible and the owner lives. Network losses are
/// mended by the browser itself, which resumes by the last id; a refused stream is tried again after 1, 2, 4 … 30 seconds.
pub(crate) fn open_stream(
    url: Signal<Option<String>>,
    names: &'static [&'static str],
    on_incoming: impl Fn(Incoming<'_>) + Clone + 'static,
) -> ReadSignal<StreamState> {
    let (state, set_state) = signal(StreamState::default());
    let failures = StoredValue::new(0_u32);
    let attempt = RwSignal::new(0_u32);
    let opened_before = StoredValue::new(false);
    // The effect's own value is the connection: it exists in the browser only, and the next run closes the one before.
    Effect::new(move |before: Option<Option<Connection>>| {
        attempt.track();
        drop(before);
        let Some(url) = url.get() else {
            set_state.set(StreamState::Off);
            return None;
        };
        if !is_visible().get() {
            set_state.set(StreamState::Paused);
            return None;
        }
        set_state.set(StreamState::Reconnecting);
        if opened_before.get_value() {
            on_incoming(Incoming::Reopened);
        }
        opened_before.set_value(true);
        let on_change = move |change: Change| match change {
            Change::Opened => {
                failures.set_value(0);
                set_state.set(StreamState::Live);
            }
            Change::Lost => set_state.set(StreamState::Reconnecting),
            Change::Refused => {
                let count = failures.get_value();
                failures.set_value(count.saturating_add(1));
                let wait = BACK_OFF.0.saturating_mul(2_u64.saturating_pow(count)).min(BACK_OFF.1);
                set_state.set(StreamState::Reconnecting);
                set_timeout(
                    move || attempt.try_update(|number| *number += 1).unwrap_or_default(),
                    Duration::from_secs(wait),
                );
            }
        };
        Connection::open(&url, names, on_incoming.clone(), on_change)
    });
    state
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
