//! The browser half of the console: wakes the page up. Nothing else belongs here.
#![recursion_limit = "256"]

use wasm_bindgen::prelude::wasm_bindgen;

/// Wakes up the page the server rendered. A panic is written to the browser's console; `boot.js` tells the reader.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::app::App);
}
