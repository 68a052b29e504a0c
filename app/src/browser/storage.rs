//! What the browser keeps for its reader: conveniences, never anything the server needs to know.

use leptos::prelude::*;
use web_sys::Storage;

/// The text kept under a name.
pub(crate) fn kept(name: &str) -> Option<String> {
    storage()?.get_item(name).ok().flatten()
}

/// Keeps a text. A browser that refuses keeps nothing, and that is all.
pub(crate) fn keep(name: &str, text: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(name, text);
    }
}

fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}
