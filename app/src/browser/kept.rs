//! Forms that went away with something unsent in them: their reader went back, or their page was drawn anew. Where the same
//! form is shown again, what was typed is put back, as long as the tab lives. It never leaves the tab's memory.

use std::cell::RefCell;

use leptos::wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, EventInit, HtmlDetailsElement, HtmlFormElement, HtmlInputElement};

use super::unsent::{Control, controls_of, is_unsent};

/// Forms that are kept, the oldest go first.
const MOST: usize = 20;
/// What a form says unseen of what it was filled in on.
const SEEN: &str = "input[type=hidden]:is([name=version], [name^='seen['])";

/// A form and its name: the same name is the same form.
type Named = (String, HtmlFormElement);

thread_local! {
    /// On the page.
    static SHOWN: RefCell<Vec<Named>> = const { RefCell::new(Vec::new()) };
    /// Gone, the newest last.
    static GONE: RefCell<Vec<Named>> = const { RefCell::new(Vec::new()) };
}

/// A form is shown: what was typed into it before it went away is put back.
pub(crate) fn form_shown(name: String, form: HtmlFormElement) {
    let find = |forms: &mut Vec<Named>| Some(forms.remove(forms.iter().position(|(known, _)| *known == name)?).1);
    if let Some(gone) = GONE.with_borrow_mut(find).filter(|gone| *gone != form) {
        put_back(&gone, &form);
    }
    SHOWN.with_borrow_mut(|forms| forms.push((name, form)));
}

/// A form goes away.
pub(crate) fn form_gone(name: &str) {
    let find = |forms: &mut Vec<Named>| Some(forms.remove(forms.iter().position(|(known, _)| known == name)?));
    let Some(gone) = SHOWN.with_borrow_mut(find).filter(|(_, form)| is_unsent(form)) else { return };
    GONE.with_borrow_mut(|forms| {
        forms.retain(|(known, _)| *known != gone.0);
        forms.push(gone);
        if forms.len() > MOST {
            forms.remove(0);
        }
    });
}

/// What the forms of the page hold is not wanted any more.
pub(super) fn forget_shown() {
    SHOWN.with_borrow_mut(Vec::clear);
}

/// Takes into a form what was typed into the one before it. What its reader has typed meanwhile stays.
fn put_back(gone: &HtmlFormElement, form: &HtmlFormElement) {
    let typed: Vec<Control> = controls_of(gone).filter(Control::differs).collect();
    let mut is_late = false;
    for control in controls_of(form).filter(|control| !control.differs()) {
        let Some(typed) = typed.iter().find(|typed| typed.is_twin(&control)) else { continue };
        is_late |= typed.stored() != control.stored();
        control.take(typed);
        for name in ["input", "change"] {
            let init = EventInit::new();
            init.set_bubbles(true);
            let event = Event::new_with_event_init_dict(name, &init).ok();
            event.map(|event| control.element().dispatch_event(&event));
        }
        open_around(control.element());
    }
    // Somebody else changed what was typed over: it is still about what its reader saw, and refused as too late.
    if is_late {
        let seen: Vec<HtmlInputElement> = hidden(gone).collect();
        for input in hidden(form) {
            if let Some(before) = seen.iter().find(|before| before.name() == input.name()) {
                input.set_value(&before.value());
            }
        }
    }
}

fn open_around(control: &Element) {
    let details = control.closest("details").ok().flatten();
    if let Some(details) = details.and_then(|details| details.dyn_into::<HtmlDetailsElement>().ok()) {
        details.set_open(true);
    }
}

fn hidden(form: &HtmlFormElement) -> impl Iterator<Item = HtmlInputElement> {
    super::unsent::elements(form, SEEN).filter_map(|element| element.dyn_into().ok())
}
