//! Where the focus goes when something opens or closes, so that it is never lost.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

thread_local! {
    /// Whether the drawer that appears next was asked for by its reader.
    static AWAITED: Cell<bool> = const { Cell::new(false) };
    /// What had the focus before the dialog.
    static OPENER: RefCell<Option<HtmlElement>> = const { RefCell::new(None) };
}

/// The first element of a selector.
pub(super) fn find(selector: &str) -> Option<HtmlElement> {
    document().query_selector(selector).ok().flatten()?.dyn_into().ok()
}

/// Moves the focus to the first element of a selector, without scrolling.
pub(crate) fn focus(selector: &str) {
    if let Some(element) = find(selector) {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}

/// Scrolls an element into view where it is hidden.
pub(crate) fn show(selector: &str) {
    if let Some(element) = find(selector) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Follows a click on a link that stays on the page: into the drawer it opens, or back to the row of the one it closes.
pub(super) fn follow(target: &Element) {
    let Some(link) = target.closest("a[data-noscroll]").ok().flatten() else { return };
    let lies_in = |selector: &str| link.closest(selector).ok().flatten().is_some();
    if lies_in(".drawer-head") && link.get_attribute("data-shortcut").as_deref() == Some("Esc") {
        focus("tr[aria-current=true] .cell-actions a");
    } else if lies_in(".drawer-head, .table") {
        AWAITED.set(true);
    }
}

/// Moves the focus into the drawer, if its reader opened it; one that came with the page leaves the focus alone.
pub(crate) fn enter_drawer() {
    if AWAITED.take() {
        focus(".drawer");
    }
}

/// Shows a dialog as a modal one and remembers what had the focus before.
pub(crate) fn enter_dialog(dialog: &web_sys::HtmlDialogElement) {
    OPENER.set(document().active_element().and_then(|element| element.dyn_into().ok()));
    // Open from the server it lies in the page; closed and shown again it is modal.
    dialog.close();
    let _ = dialog.show_modal();
}

/// Gives the focus back after a dialog: to what had it before, else to the page.
pub(crate) fn leave_dialog() {
    let opener = OPENER.take();
    let give_back = move || {
        if document().active_element().is_some_and(|element| !element.matches("body").unwrap_or(false)) {
            return;
        }
        match opener.filter(|opener| opener.is_connected() && !opener.matches("body").unwrap_or(false)) {
            Some(opener) => drop(opener.focus()),
            None => focus("#main"),
        }
    };
    // Once the dialog is gone.
    set_timeout(give_back, Duration::ZERO);
}
