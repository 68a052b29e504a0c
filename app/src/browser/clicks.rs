//! One listener for the clicks that need no component: copying, and closing what is open.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Node};

use super::focus::{find, follow};

/// How long a copy button says that it has copied.
const COPIED: Duration = Duration::from_millis(1500);

pub(super) fn listen() {
    // The page listens as long as it lives: the handle could only end that.
    let _listening = window_event_listener(ev::click, |event| {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        close_menus(&target);
        follow(&target);
        if target.closest(".rail a").ok().flatten().is_some() {
            close_rail();
        }
        if let Some(button) = target.closest("[data-copy]").ok().flatten() {
            copy(button);
        }
    });
}

/// Closes every open menu that was not clicked into, and the one whose item was chosen.
fn close_menus(target: &Element) {
    let Ok(menus) = document().query_selector_all("details.menu[open]") else { return };
    let chosen = target.closest("a.menu-item").ok().flatten().is_some();
    for index in 0..menus.length() {
        let Some(menu) = menus.item(index).and_then(|menu| menu.dyn_into::<Element>().ok()) else { continue };
        if chosen || !menu.contains(target.dyn_ref::<Node>()) {
            let _ = menu.remove_attribute("open");
        }
    }
}

/// Closes the rail where it is a sheet.
fn close_rail() {
    if let Some(rail) = find(".rail:popover-open") {
        let _ = rail.hide_popover();
    }
}

/// Copies `data-copy`, or selects the text beside the button where the browser refuses.
fn copy(button: Element) {
    let text = button.get_attribute("data-copy").unwrap_or_default();
    leptos::task::spawn_local(async move {
        let written = JsFuture::from(window().navigator().clipboard().write_text(&text)).await;
        if written.is_err() {
            select_beside(&button);
            return;
        }
        let _ = button.set_attribute("data-state", "succeeded");
        set_timeout(move || drop(button.remove_attribute("data-state")), COPIED);
    });
}

fn select_beside(button: &Element) {
    let code = button.parent_element().and_then(|parent| parent.query_selector("code").ok().flatten());
    let selection = window().get_selection().ok().flatten();
    if let (Some(code), Some(selection)) = (code, selection) {
        let _ = selection.select_all_children(&code);
    }
}
