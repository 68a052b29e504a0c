//! Asks before a page is left on which something was typed and not sent.

use leptos::html;
use leptos::prelude::*;

use super::Look;
use crate::browser;
use crate::text::text;

/// Asks before a page is left on which something was typed and not sent, once for all forms in it.
#[component]
pub(crate) fn UnsentGuard() -> impl IntoView {
    let asked = RwSignal::new(false);
    // The effect's own value listens, as long as this lives.
    Effect::new(move |before: Option<browser::UnsentListener>| {
        drop(before);
        browser::listen_for_leaving(move || asked.set(true))
    });
    move || asked.get().then(|| view! { <Question asked=asked /> })
}

#[component]
fn Question(asked: RwSignal<bool>) -> impl IntoView {
    let common = &text().common;
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        if let Some(dialog) = dialog.get() {
            browser::enter_dialog(&dialog);
            on_cleanup(browser::leave_dialog);
        }
    });
    let leave = move |_| {
        asked.set(false);
        browser::leave();
    };
    view! {
        <dialog
            class="dialog"
            node_ref=dialog
            aria-labelledby="unsent-title"
            data-testid="unsent"
            on:close=move |_| asked.set(false)
        >
            <h2 id="unsent-title">{common.unsent}</h2>
            <div class="dialog-body">
                <p>{common.unsent_text}</p>
            </div>
            <div class="dialog-actions">
                <button
                    class=Look::Plain.class()
                    type="button"
                    autofocus=true
                    data-shortcut="Esc"
                    on:click=move |_| asked.set(false)
                >
                    {common.stay}
                </button>
                <button class=Look::Danger.class() type="button" on:click=leave>
                    {common.leave}
                </button>
            </div>
        </dialog>
    }
    .into_any()
}
