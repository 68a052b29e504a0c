//! A tenant itself: named, and deleted.

use leptos::prelude::*;

use super::Here;
use crate::component::{ConfirmByName, DeleteLink, Form, FormActions, TextField};
use crate::text::text;

/// The form that the address asks for; where it asks for none, `otherwise`, with what leads to them.
pub(super) fn around(here: Here, otherwise: impl Fn() -> AnyView + Send + Sync + 'static) -> AnyView {
    let params = here.params;
    let asks = move |form: &str| params.with(|params| params.get(form).is_some());
    let (names, deletes) = (here.may("tenant.update"), here.may("tenant.delete"));
    let here = StoredValue::new(here);
    let shown = move || {
        if names && asks("edit") {
            return name(here.get_value());
        }
        if deletes && asks("delete") {
            return deletion(here.get_value());
        }
        let edit = params.get_untracked().with("edit", "1").here();
        view! {
            {otherwise()}
            <div class="row">
                {names
                    .then(|| {
                        view! {
                            <a class="btn" href=edit data-noscroll="" data-testid="rename-tenant">
                                {text().tenant.rename}
                            </a>
                        }
                    })}
                {deletes.then(|| view! { <DeleteLink params=params /> })}
            </div>
        }
        .into_any()
    };
    shown.into_any()
}

fn back(here: &Here) -> String {
    here.params.get_untracked().without(&["edit", "delete"]).here()
}

fn name(here: Here) -> AnyView {
    let (name, back) = (here.page.tenant.name.to_string(), back(&here));
    let sends = here.sends("rename", [("version", here.page.tenant.version.to_string())]);
    view! {
        <Form action=here.action sends=sends>
            <TextField field="name" label=text().common.name value=name />
            <FormActions label=text().common.save back=back />
        </Form>
    }
    .into_any()
}

fn deletion(here: Here) -> AnyView {
    let (name, back, sends) = (here.page.tenant.name.to_string(), back(&here), here.sends("delete", []));
    view! {
        <ConfirmByName
            title=(text().tenant.delete_question)(&name)
            meaning=text().tenant.delete_text
            name=name
            action=here.action
            sends=sends
            back=back
            label=text().common.delete
        />
    }
    .into_any()
}
