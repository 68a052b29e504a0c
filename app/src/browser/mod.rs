//! What only a browser can do: event streams, clipboard, keys, the page's own life.
//!
//! Everything here is called from effects and event listeners, which do not run on the server; the server's build compiles it
//! and never calls it. Invariant: no view reads anything from here while it renders.

mod clicks;
mod focus;
mod form_key;
mod kept;
mod keys;
mod lock;
mod page;
mod shared;
mod sign_in;
mod storage;
mod stream;
mod unsent;

pub(crate) use focus::{enter_dialog, enter_drawer, focus, leave_dialog, show};
pub(crate) use form_key::form_key;
pub(crate) use kept::{form_gone, form_shown};
pub(crate) use keys::{page_actions, press};
pub(crate) use page::{address, load, start, tell_zone};
pub(crate) use sign_in::{give_code, sign_in};
pub(crate) use storage::{keep, kept};
pub(crate) use stream::{Incoming, Source, StreamState, open_stream};
pub(crate) use unsent::{UnsentListener, leave, listen_for_leaving, take_stored};
