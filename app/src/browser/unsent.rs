//! What was typed and not sent: found when its page is about to be left, so that its reader can be asked.
//!
//! Controls say in `data-stored` what is stored, forms in `data-guard` that they may hold something unsent.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast as _;
use web_sys::{
    BeforeUnloadEvent, Element, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement, MouseEvent,
    NodeList,
};

use super::kept;

/// Forms that may hold something unsent.
const FORMS: &str = "form[data-guard]";
/// Controls whose text would be lost. Browsers fill in the present password themselves.
const CONTROLS: &str = "[data-stored]:not([autocomplete=current-password])";
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
        let Some(link) = followed(&event).filter(|_| !LEAVES.get() && is_page_unsent()) else { return };
        event.prevent_default();
        LINK.set(Some(link));
        ask();
    });
    let on_unload = Closure::new(|event: BeforeUnloadEvent| {
        if is_page_unsent() {
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

/// Follows the link that was asked about; what was typed is not wanted any more.
pub(crate) fn leave() {
    if let Some(link) = LINK.take() {
        kept::forget_shown();
        LEAVES.set(true);
        link.click();
        LEAVES.set(false);
    }
}

/// Takes what is stored into the controls of a field.
pub(crate) fn take_stored(field: &str) {
    let found = document().query_selector_all(&format!("#{field}[data-stored], #{field} [data-stored]"));
    listed(found.ok()).map(Control).for_each(|control| control.set(&control.stored()));
}

/// Whether a form holds something that was not sent.
pub(super) fn is_unsent(form: &Element) -> bool {
    form.matches(FORMS).unwrap_or(false) && controls_of(form).any(|control| control.differs())
}

/// The controls of a form whose text would be lost.
pub(super) fn controls_of(form: &Element) -> impl Iterator<Item = Control> + use<> {
    elements(form, CONTROLS).map(Control)
}

/// What is in an element.
pub(super) fn elements(within: &Element, selector: &str) -> impl Iterator<Item = Element> + use<> {
    listed(within.query_selector_all(selector).ok())
}

/// A control of a form.
pub(super) struct Control(Element);

impl Control {
    /// Itself.
    pub(super) const fn element(&self) -> &Element {
        &self.0
    }

    /// What is stored.
    pub(super) fn stored(&self) -> String {
        self.0.get_attribute("data-stored").unwrap_or_default()
    }

    /// Whether it holds something else than what is stored.
    pub(super) fn differs(&self) -> bool {
        let stored = self.stored();
        let is_area = self.0.has_type::<HtmlTextAreaElement>();
        self.value() != if is_area { stored.replace("\r\n", "\n") } else { stored }
    }

    /// Whether it is the same control of the same form, shown again.
    pub(super) fn is_twin(&self, other: &Self) -> bool {
        let is_same = |name: &str| self.0.get_attribute(name) == other.0.get_attribute(name);
        is_same("name") && is_same("type") && (!self.is_check() || is_same("value"))
    }

    /// Takes what its twin holds.
    pub(super) fn take(&self, twin: &Self) {
        self.set(&twin.value());
    }

    /// What it holds, as `data-stored` has it.
    fn value(&self) -> String {
        if let Some(input) = self.0.dyn_ref::<HtmlInputElement>() {
            if self.is_check() { input.checked().to_string() } else { input.value() }
        } else if let Some(area) = self.0.dyn_ref::<HtmlTextAreaElement>() {
            area.value()
        } else {
            self.0.dyn_ref::<HtmlSelectElement>().map(HtmlSelectElement::value).unwrap_or_default()
        }
    }

    fn set(&self, value: &str) {
        if let Some(input) = self.0.dyn_ref::<HtmlInputElement>() {
            match self.is_check() {
                true => input.set_checked(value == "true"),
                false => input.set_value(value),
            }
        } else if let Some(area) = self.0.dyn_ref::<HtmlTextAreaElement>() {
            area.set_value(value);
        } else if let Some(select) = self.0.dyn_ref::<HtmlSelectElement>() {
            select.set_value(value);
        }
    }

    fn is_check(&self) -> bool {
        self.0.matches("[type=checkbox], [type=radio]").unwrap_or(false)
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

fn is_page_unsent() -> bool {
    let in_page = |form: &Element| form.closest("dialog").ok().flatten().is_none();
    listed(document().query_selector_all(FORMS).ok()).any(|form| in_page(&form) && is_unsent(&form))
}

fn listed(found: Option<NodeList>) -> impl Iterator<Item = Element> {
    let count = found.as_ref().map_or(0, NodeList::length);
    (0..count).filter_map(move |index| found.as_ref()?.item(index)?.dyn_into().ok())
}
