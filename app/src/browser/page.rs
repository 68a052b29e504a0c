//! The life of the page: the mark that it is awake, its listeners, the zone of its reader.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::{clicks, keys};

/// Wakes the page up: listeners first, then the mark that tests and styles wait for.
pub(crate) fn start(shortcuts_off: bool) {
    clicks::listen();
    if !shortcuts_off {
        keys::listen();
    }
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-hydrated", "");
    }
}

/// Leaves the page for an address, also for its own.
pub(crate) fn load(address: &str) {
    let _ = window().location().assign(address);
}

/// The path and the query of the address that the browser shows.
pub(crate) fn address() -> (String, String) {
    let location = window().location();
    (location.pathname().unwrap_or_default(), location.search().unwrap_or_default())
}

/// Tells the server the browser's time zone, through the preferences cookie, if the reader has none yet. It counts from the
/// next page on.
pub(crate) fn tell_zone(prefs: &crate::prefs::Prefs) {
    if prefs.zone.is_some() {
        return;
    }
    let options = js_sys::Intl::DateTimeFormat::new(&js_sys::Array::new(), &js_sys::Object::new()).resolved_options();
    let zone = js_sys::Reflect::get(&options, &"timeZone".into()).ok().and_then(|zone| zone.as_string());
    let Some(zone) = zone else { return };
    let value = prefs.clone().with("tz", &zone).to_string();
    if let Ok(document) = document().dyn_into::<web_sys::HtmlDocument>() {
        let _ =
            document.set_cookie(&format!("{}={value}; Path=/; Max-Age=31536000; SameSite=Lax", crate::prefs::COOKIE));
    }
}
