//! The dialog before something that cannot be undone. It has its own address, so it works without scripts; with them it is
//! modal.

use leptos::html;
use leptos::prelude::*;

use super::form::Look;
use super::{FormState, Submit};
use crate::browser;
use crate::text::text;

/// A dialog that asks before something irreversible.
#[component]
pub(crate) fn Confirm(
    /// The question.
    #[prop(into)]
    title: String,
    /// What will happen.
    #[prop(into)]
    meaning: String,
    /// The form that does it, with its own button.
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        if let Some(dialog) = dialog.get() {
            browser::enter_dialog(&dialog);
            on_cleanup(browser::leave_dialog);
        }
    });
    view! {
        <dialog class="dialog" open=true node_ref=dialog aria-labelledby="confirm-title" data-testid="confirm">
            <h2 id="confirm-title">{title}</h2>
            <div class="dialog-body">
                <p>{meaning}</p>
            </div>
            {children()}
        </dialog>
    }
    .into_any()
}

/// The end of a confirming form: back, or do it.
#[component]
pub(crate) fn ConfirmActions(
    /// The form.
    form: FormState,
    /// The page without the dialog.
    back: String,
    /// What it does.
    label: &'static str,
    /// Whether it destroys something.
    #[prop(optional)]
    danger: bool,
) -> impl IntoView {
    let look = if danger { Look::Danger } else { Look::Primary };
    view! {
        <div class="dialog-actions">
            <a class="btn" href=back data-shortcut="Esc" data-noscroll="">
                {text().common.cancel}
            </a>
            <Submit form=form label=label look=look />
        </div>
    }
    .into_any()
}

/// A field that must hold a name before its form can be sent.
#[component]
pub(crate) fn TypeName(
    /// The name to type.
    name: String,
    /// What to do.
    label: String,
) -> impl IntoView {
    view! {
        <div class="field">
            <label class="field-label" for="confirm-name">
                {label}
            </label>
            <input class="input" id="confirm-name" required=true autocomplete="off" pattern=exactly(&name) />
        </div>
    }
    .into_any()
}

/// A pattern that matches one text only.
fn exactly(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for letter in text.chars() {
        // `pattern` is read with the `v` flag, which refuses to escape anything else.
        if matches!(letter, '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::exactly;

    #[test]
    fn a_pattern_matches_its_text_alone() {
        assert_eq!(exactly("CI (main) 1.5 – a_b-c"), "CI \\(main\\) 1\\.5 – a_b-c");
    }
}
