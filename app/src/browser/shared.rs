//! A stream that the tabs of a browser share: one of them reads it and tells the others what arrives and how it is. A browser
//! opens six connections to a server at most, and a stream takes one of them for good.
//!
//! Only visible tabs take part, as only they read streams: a reader that is hidden or closed makes room for the next.

use std::rc::Rc;

use leptos::wasm_bindgen::closure::Closure;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

use super::lock::Lock;
use super::stream::{Incoming, StreamState};

/// What tabs tell each other.
#[derive(Serialize, Deserialize)]
pub(super) enum Message {
    /// Somebody has joined and does not know how the stream is.
    Joined,
    /// How the stream is.
    State(StreamState),
    /// An event of the stream.
    Event { name: String, data: String, id: String },
}

impl Message {
    /// What tells the others of something that arrived.
    pub(super) fn of(incoming: &Incoming<'_>) -> Option<Self> {
        match incoming {
            Incoming::Event { name, data, id } => {
                let [name, data, id] = [name, data, id].map(|text| (*text).to_owned());
                Some(Self::Event { name, data, id })
            }
            // Each finds out by itself, from how the stream is.
            Incoming::Reopened => None,
        }
    }
}

/// A tab's place among those that share a stream; dropping it leaves.
pub(super) struct Seat {
    channel: Rc<Channel>,
    _lock: Lock,
}

impl Seat {
    /// Joins those that share a name. Calls back with what is said, which may be answered, and once it is this tab's turn to
    /// read. None where the browser cannot share.
    pub(super) fn take(
        name: &str,
        on_message: impl Fn(Message) -> Option<Message> + 'static,
        on_turn: impl FnOnce(&Channel) + 'static,
    ) -> Option<Self> {
        let channel = Rc::new(Channel::open(name, on_message)?);
        let own = Rc::clone(&channel);
        let lock = Lock::ask(name, move || on_turn(&own))?;
        channel.say(&Message::Joined);
        Some(Self { channel, _lock: lock })
    }

    /// Where the others hear.
    pub(super) fn channel(&self) -> Rc<Channel> {
        Rc::clone(&self.channel)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // Others may still hold the channel.
        self.channel.channel.set_onmessage(None);
        self.channel.channel.close();
    }
}

/// Where the tabs that share a name hear of each other.
pub(super) struct Channel {
    channel: BroadcastChannel,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl Channel {
    fn open(name: &str, on_message: impl Fn(Message) -> Option<Message> + 'static) -> Option<Self> {
        let channel = BroadcastChannel::new(name).ok()?;
        let own = channel.clone();
        let listener = Closure::new(move |event: MessageEvent| {
            // A tab of another version may say what this one does not know.
            let said = event.data().as_string().and_then(|text| serde_json::from_str(&text).ok());
            if let Some(answer) = said.and_then(&on_message) {
                say(&own, &answer);
            }
        });
        channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Some(Self { channel, _on_message: listener })
    }

    /// Tells the others.
    pub(super) fn say(&self, message: &Message) {
        say(&self.channel, message);
    }
}

fn say(channel: &BroadcastChannel, message: &Message) {
    if let Ok(text) = serde_json::to_string(message) {
        let _ = channel.post_message(&JsValue::from_str(&text));
    }
}
