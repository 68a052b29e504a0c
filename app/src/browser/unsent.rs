//! What was typed and not sent: found when its page is about to be left, so that its reader can be asked.
//!
//! Controls say in `data-stored` what is stored, forms in `data-guard` that they may hold something unsent.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast as _;
use web_sys::{
    BeforeUnloadEvent, Element, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement, MouseEvent,
};

/// Controls whose text would be lost. Browsers fill in the present password themselves.
const CONTROLS: &str = "form[data-guard] [data-stored]:not([autocomplete=current-password])";
/// Links that the console follows without loading anew; those with `data-stays` lose nothing.
const LINKS: &str = ":is(a[href^='/'], a[href^='?']):not([target], [download], [rel~=external], [data-stays])";

thread_local! {
    /// The link that was about to be followed.
    static LINK: RefCell<Option<HtmlElement>> = const { RefCell::new(None) };
    /// Whether it is followed now, in spite of what is lost.
    static LEAVES: Cell<bool> = const { Cell::new(false) };
}

/// Listens for the page being left; dropping it ends that.
pub(crate) struct UnsentListener {
    on_click: Closure<dyn FnMut(MouseEvent)>,
    on_unload: Closure<dyn FnMut(BeforeUnloadEvent)>,
}

/// Calls `ask` instead of following a link, where something unsent would be lost. Where the page itself is left, the browser
/// asks in its own words.
pub(crate) fn listen_for_leaving(ask: impl Fn() + 'static) -> UnsentListener {
    let on_click = Closure::new(move |event: MouseEvent| {
        let Some(link) = followed(&event).filter(|_| !LEAVES.get() && is_unsent()) else { return };
        event.prevent_default();
        LINK.set(Some(link));
        ask();
    });
    let on_unload = Closure::new(|event: BeforeUnloadEvent| {
        if is_unsent() {
            event.prevent_default();
            // Older browsers look at this alone.
            event.set_return_value("1");
        }
    });
    // The router listens at the window: this is asked before it.
    let _ = document().add_event_listener_with_callback("click", on_click.as_ref().unchecked_ref());
    let _ = window().add_event_listener_with_callback("beforeunload", on_unload.as_ref().unchecked_ref());
    UnsentListener { on_click, on_unload }
}

impl Drop for UnsentListener {
    fn drop(&mut self) {
        let _ = document().remove_event_listener_with_callback("click", self.on_click.as_ref().unchecked_ref());
        let _ = window().remove_event_listener_with_callback("beforeunload", self.on_unload.as_ref().unchecked_ref());
    }
}

/// Follows the link that was asked about.
pub(crate) fn leave() {
    if let Some(link) = LINK.take() {
        LEAVES.set(true);
        link.click();
        LEAVES.set(false);
    }
}

/// Takes what is stored into the controls of a field.
pub(crate) fn take_stored(field: &str) {
    for control in controls(&format!("#{field}[data-stored], #{field} [data-stored]")) {
        let stored = control.get_attribute("data-stored").unwrap_or_default();
        if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
            match is_check(&control) {
                true => input.set_checked(stored == "true"),
                false => input.set_value(&stored),
            }
        } else if let Some(area) = control.dyn_ref::<HtmlTextAreaElement>() {
            area.set_value(&stored);
        } else if let Some(select) = control.dyn_ref::<HtmlSelectElement>() {
            select.set_value(&stored);
        }
    }
}

/// The link that a click follows in this tab.
fn followed(event: &MouseEvent) -> Option<HtmlElement> {
    let elsewhere = event.meta_key() || event.alt_key() || event.ctrl_key() || event.shift_key();
    if event.default_prevented() || event.button() != 0 || elsewhere {
        return None;
    }
    event.target()?.dyn_into::<Element>().ok()?.closest(LINKS).ok().flatten()?.dyn_into().ok()
}

fn is_unsent() -> bool {
    let in_page = |control: &Element| control.closest("dialog").ok().flatten().is_none();
    controls(CONTROLS).any(|control| in_page(&control) && differs(&control))
}

/// Whether a control holds something else than what is stored.
fn differs(control: &Element) -> bool {
    let stored = control.get_attribute("data-stored").unwrap_or_default();
    if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
        match is_check(control) {
            true => input.checked() != (stored == "true"),
            false => input.value() != stored,
        }
    } else if let Some(area) = control.dyn_ref::<HtmlTextAreaElement>() {
        area.value() != stored.replace("\r\n", "\n")
    } else {
        control.dyn_ref::<HtmlSelectElement>().is_some_and(|select| select.value() != stored)
    }
}

fn is_check(control: &Element) -> bool {
    control.matches("[type=checkbox], [type=radio]").unwrap_or(false)
}

fn controls(selector: &str) -> impl Iterator<Item = Element> {
    let found = document().query_selector_all(selector).ok();
    let count = found.as_ref().map_or(0, web_sys::NodeList::length);
    (0..count).filter_map(move |index| found.as_ref()?.item(index)?.dyn_into().ok())
}
