//! The browser half of the console: wakes the page up. Nothing else belongs here.
#![recursion_limit = "256"]

use leptos::prelude::window;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// Wakes up the page the server rendered, once the part it is in is loaded. A panic is written to the browser's console;
/// `boot.js` tells the reader, also where the part cannot be loaded.
///
/// # Errors
///
/// Where the part of the page cannot be loaded.
#[wasm_bindgen]
pub async fn hydrate() -> Result<(), JsError> {
    console_error_panic_hook::set_once();
    let path = window().location().pathname().unwrap_or_default();
    app::part::load(&path).await?;
    leptos::mount::hydrate_body(app::app::App);
    Ok(())
}
