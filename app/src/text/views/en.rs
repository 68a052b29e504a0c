//! English.

use super::Views;

pub(crate) const EN: Views = Views {
    by: |name| format!("by {name}"),
    changed: "changed",
    default: "Open the list with it",
    default_hint: "For you alone. It takes the place of the view the list opens with now.",
    delete_meaning: "The list itself loses nothing. Whoever opens it with this view sees it without a view again.",
    delete_question: |name| format!("Delete the view {name}?"),
    edit: |name| format!("Edit {name}"),
    edit_title: "Edit view",
    gone: "No such view: it was deleted, or is not shared any more.",
    is_default: "default",
    is_shared: "shared",
    name_hint: "Filters, range, order and columns as they are now are saved under this name.",
    none: "No view",
    save: "Save as a new view…",
    save_changes: "Save changes",
    save_title: "Save view",
    shared: "Share it",
    shared_hint: "Everybody in this workspace sees it. Only you can change it.",
    title: "Views",
    told_saved: "Saved.",
};
