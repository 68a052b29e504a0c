//! The dialog before something that cannot be undone. It has its own address, so it works without scripts; with them it is
//! modal.

use leptos::html;
use leptos::prelude::*;

use super::form::{Form, Look, Posted, Sent, Submit};
use crate::browser;
use crate::query::Params;
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
    /// The page without the dialog.
    back: String,
    /// What it does.
    label: &'static str,
    /// What not to do it means, where "cancel" could be taken for the deed.
    #[prop(optional)]
    keep: Option<&'static str>,
    /// Whether it destroys something.
    #[prop(optional)]
    danger: bool,
) -> impl IntoView {
    let look = if danger { Look::Danger } else { Look::Primary };
    view! {
        <div class="dialog-actions">
            <a class="btn" href=back data-shortcut="Esc" data-noscroll="" data-stays="">
                {keep.unwrap_or(text().common.cancel)}
            </a>
            <Submit label=label look=look />
        </div>
    }
    .into_any()
}

/// A dialog whose form is sent only once the name of what it ends was typed.
#[component]
pub(crate) fn ConfirmByName<Call: Posted>(
    /// The question.
    title: String,
    /// What will happen.
    meaning: &'static str,
    /// The name to type.
    name: String,
    /// What does it.
    action: ServerAction<Call>,
    /// What it sends.
    sends: Sent,
    /// The page without the dialog.
    back: String,
    /// What the button says.
    label: &'static str,
) -> impl IntoView {
    view! {
        <Confirm title=title meaning=meaning>
            <Form action=action sends=sends>
                <TypeName label=(text().keys.type_name)(&name) name=name />
                <ConfirmActions back=back label=label danger=true />
            </Form>
        </Confirm>
    }
    .into_any()
}

/// The same for deleting what a page is about, while its address asks for it: see [`DeleteLink`].
#[component]
pub(crate) fn Deletion<Call: Posted>(
    /// The address.
    params: Memo<Params>,
    /// The question.
    title: String,
    /// What will happen.
    meaning: &'static str,
    /// The name to type.
    name: String,
    /// What deletes it.
    action: ServerAction<Call>,
    /// What it sends.
    sends: Sent,
) -> impl IntoView {
    let back = params.get_untracked().without(&["delete"]).here();
    let told = StoredValue::new((title, name, sends, back));
    move || {
        params.with(|params| params.get("delete").is_some()).then(|| {
            let (title, name, sends, back) = told.get_value();
            let label = text().common.delete;
            view! {
                <ConfirmByName title=title meaning=meaning name=name action=action sends=sends back=back label=label />
            }
        })
    }
}

/// Asks for the [`Deletion`] of the page, over what is typed there: `data-stays` says that the link loses nothing.
#[component]
pub(crate) fn DeleteLink(
    /// The address.
    params: Memo<Params>,
) -> impl IntoView {
    let href = params.get_untracked().with("delete", "1").here();
    view! {
        <a class="btn btn--danger" href=href data-noscroll="" data-stays="">
            {text().common.delete}
        </a>
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
