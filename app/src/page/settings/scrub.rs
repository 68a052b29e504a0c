//! Erasing the workspace's content of before a day.

use leptos::prelude::*;

use crate::component::{
    Confirm, ConfirmActions, Form, FormState, FormSummary, Place, TextField, TypeName, params, told_action,
};
use crate::function::ScrubContent;
use crate::text::text;

/// Asks before content is erased: the day is typed, and the workspace's name.
#[component]
pub(super) fn Scrub(place: Place) -> impl IntoView {
    let tasks = &text().tasks;
    let scrubbed = told_action::<ScrubContent>(tasks.told_scrubbing);
    let params = params();
    let (ask, back) =
        (params.get_untracked().with("scrub", "1").here(), params.get_untracked().without(&["scrub"]).here());
    let told = StoredValue::new((place, back));
    let dialog = move || {
        params.with(|params| params.get("scrub").is_some()).then(|| {
            let (place, back) = told.get_value();
            let name = place.shell.workspace.name.to_string();
            view! {
                <Confirm title=tasks.scrub_question meaning=tasks.scrub_text>
                    <Form action=scrubbed sends=place.sends([])>
                        <TextField field="before" label=tasks.before hint=tasks.before_hint mono=true />
                        <TypeName label=(text().keys.type_name)(&name) name=name />
                        <ConfirmActions back=back label=tasks.scrub danger=true />
                    </Form>
                </Confirm>
            }
        })
    };
    view! {
        <section class="section" id="scrub">
            <header class="section-head">
                <h3>{tasks.scrub}</h3>
            </header>
            <FormSummary form=FormState::of(scrubbed) />
            <p class="field-hint">{tasks.scrub_text}</p>
            <div class="form-actions">
                <a class="btn btn--danger" href=ask data-noscroll="" data-stays="">
                    {tasks.scrub}
                </a>
            </div>
            {dialog}
        </section>
    }
    .into_any()
}
