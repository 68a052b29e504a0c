//! Shortcuts. A control says its own key in `data-shortcut` (`j`, `g r`, `/`, `Esc`); pressing it clicks the control, or moves
//! the focus into it if it is a field. So what the keyboard can do is in the page, and works by pointer too.

use std::cell::Cell;

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use super::focus::find;

/// How long the first key of two is remembered, in milliseconds.
const SEQUENCE: f64 = 1000.0;
/// The one key with a modifier, `Ctrl` or `Cmd`.
const PALETTE: &str = "Ctrl k";
/// Opens what `OPEN` opens in a tab of its own.
const IN_TAB: &str = "o";
const OPEN: &str = "Enter";
/// The row a key is about: where the focus is, else the one in the drawer.
const ROW: &str = "tr[aria-current=true]";
/// What takes letters itself.
const FIELDS: &str = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
/// What `Enter` presses already.
const PRESSABLE: &str = "a, button, summary";

pub(super) fn listen() {
    let first: Cell<Option<(String, f64)>> = Cell::new(None);
    // The page listens as long as it lives: the handle could only end that.
    let _listening = window_event_listener(ev::keydown, move |event| {
        let Some(key) = name(&event) else { return };
        let on = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_on = |selector: &str| on.as_ref().is_some_and(|element| element.matches(selector).unwrap_or(false));
        // What is open as a popover closes by itself, and nothing beneath is meant.
        let writes = key != "Esc" && key != PALETTE;
        if writes && is_on(FIELDS) || key == "Enter" && is_on(PRESSABLE) || find(":popover-open").is_some() {
            return;
        }
        if key == "Esc" && close_menu() {
            event.prevent_default();
            return;
        }
        if key == IN_TAB
            && let Some(href) = control(OPEN).and_then(|link| link.get_attribute("href"))
        {
            event.prevent_default();
            let _ = window().open_with_url_and_target_and_features(&href, "_blank", "noopener");
            return;
        }
        let before = first.take().filter(|(_, at)| event.time_stamp() - at < SEQUENCE);
        let sequence = before.map(|(before, _)| format!("{before} {key}"));
        let in_row = || in_row(on.as_ref(), &key);
        let control = sequence.and_then(|keys| control(&keys)).or_else(|| control(&key)).or_else(in_row);
        match control {
            Some(control) => {
                event.prevent_default();
                follow(&control);
            }
            None => first.set(Some((key, event.time_stamp()))),
        }
    });
}

/// The key as controls write it; none where a modifier makes it something else.
fn name(event: &KeyboardEvent) -> Option<String> {
    if event.alt_key() || event.is_composing() || event.repeat() {
        return None;
    }
    if event.ctrl_key() || event.meta_key() {
        return event.key().eq_ignore_ascii_case("k").then(|| PALETTE.to_owned());
    }
    Some(if event.key() == "Escape" { "Esc".to_owned() } else { event.key() })
}

/// What the page can do: the words of each button of its head, and how to find it.
pub(crate) fn page_actions() -> Vec<(String, String)> {
    let Ok(controls) = document().query_selector_all(".page-actions .btn:not([disabled])") else { return Vec::new() };
    let action = |index: u32| {
        let control = controls.item(index)?.dyn_into::<HtmlElement>().ok()?;
        let words = control.text_content()?.trim().to_owned();
        let name = control.get_attribute("aria-label").unwrap_or(words);
        control.set_attribute("data-action", &index.to_string()).ok()?;
        (!name.is_empty()).then(|| (name, format!("[data-action='{index}']")))
    };
    (0..controls.length()).filter_map(action).collect()
}

/// Presses the first control of a selector.
pub(crate) fn press(selector: &str) {
    if let Some(control) = find(selector) {
        control.click();
    }
}

/// Closes the open menu; the focus goes back to what opened it.
fn close_menu() -> bool {
    let Some(menu) = find("details.menu[open]") else { return false };
    let _ = menu.remove_attribute("open");
    if let Some(summary) =
        menu.query_selector("summary").ok().flatten().and_then(|part| part.dyn_into::<HtmlElement>().ok())
    {
        let _ = summary.focus();
    }
    true
}

/// The control of a key: the last one in the page, so that what lies on top wins; while a dialog is open, one of its own.
fn control(keys: &str) -> Option<HtmlElement> {
    let dialog = find("dialog:modal");
    let controls = document().query_selector_all("[data-shortcut]").ok()?;
    (0..controls.length())
        .rev()
        .filter_map(|index| controls.item(index)?.dyn_into::<HtmlElement>().ok())
        .filter(|control| dialog.as_ref().is_none_or(|dialog| dialog.contains(Some(control))))
        .find(|control| control.get_attribute("data-shortcut").as_deref() == Some(keys))
}

/// The control of a key in the row it is about: rows have theirs in `data-row-shortcut`.
fn in_row(on: Option<&Element>, key: &str) -> Option<HtmlElement> {
    let focused = on.and_then(|element| element.closest("tr").ok().flatten());
    let row = focused.or_else(|| find(ROW).map(Element::from))?;
    let controls = row.query_selector_all("[data-row-shortcut]").ok()?;
    (0..controls.length())
        .filter_map(|index| controls.item(index)?.dyn_into::<HtmlElement>().ok())
        .find(|control| control.get_attribute("data-row-shortcut").as_deref() == Some(key))
}

fn follow(control: &HtmlElement) {
    if control.matches(FIELDS).unwrap_or(false) {
        let _ = control.focus();
    } else {
        control.click();
    }
}
