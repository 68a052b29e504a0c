//! Shortcuts. A control says its own key in `data-shortcut` (`j`, `g r`, `/`, `Esc`); pressing it clicks the control, or moves
//! the focus into it if it is a field. So what the keyboard can do is in the page, and works by pointer too.

use std::cell::Cell;

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, KeyboardEvent};

/// How long the first key of two is remembered, in milliseconds.
const SEQUENCE: f64 = 1000.0;

pub(super) fn listen() {
    let first: Cell<Option<(String, f64)>> = Cell::new(None);
    // The page listens as long as it lives: the handle could only end that.
    let _listening = window_event_listener(ev::keydown, move |event| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing() || event.repeat() {
            return;
        }
        let key = if event.key() == "Escape" { "Esc".to_owned() } else { event.key() };
        if key != "Esc" && is_typing(&event) {
            return;
        }
        let before = first.take().filter(|(_, at)| event.time_stamp() - at < SEQUENCE);
        let sequence = before.map(|(before, _)| format!("{before} {key}"));
        let control = sequence.and_then(|keys| control(&keys)).or_else(|| control(&key));
        match control {
            Some(control) => {
                event.prevent_default();
                press(&control);
            }
            None => first.set(Some((key, event.time_stamp()))),
        }
    });
}

/// Whether the key goes into a field.
fn is_typing(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let field = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
    target.is_some_and(|element| element.matches(field).unwrap_or(false))
}

/// The control of a key: the last one in the page, so that what lies on top wins.
fn control(keys: &str) -> Option<HtmlElement> {
    let controls = document().query_selector_all("[data-shortcut]").ok()?;
    (0..controls.length())
        .rev()
        .filter_map(|index| controls.item(index)?.dyn_into::<HtmlElement>().ok())
        .find(|control| control.get_attribute("data-shortcut").as_deref() == Some(keys))
}

fn press(control: &HtmlElement) {
    if control.matches("input, textarea, select").unwrap_or(false) {
        let _ = control.focus();
    } else {
        control.click();
    }
}
