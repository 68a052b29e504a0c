//! What binds every workspace of a tenant.

use leptos::prelude::*;
use types::run::Capture;
use types::tenant::Ceilings;

use super::{Here, naming};
use crate::component::{ChoiceField, Form, FormActions, Notice, Tone};
use crate::text::text;

pub(super) fn view(here: Here, ceilings: Ceilings) -> AnyView {
    let own = here.clone();
    naming::around(here, move || shown(&own, &ceilings))
}

fn shown(here: &Here, ceilings: &Ceilings) -> AnyView {
    let text = text();
    let present = ceilings.content_capture;
    if !here.may("tenant_ceiling.update") {
        return view! {
            <Notice tone=Tone::Neutral text=text.settings.read_only />
            <dl class="dl">
                <dt>{text.tenant.capture}</dt>
                <dd>{(text.word.capture)(present)}</dd>
            </dl>
        }
        .into_any();
    }
    let captures = Capture::ALL.iter().map(|capture| {
        let (title, meaning) = ((text.word.capture)(*capture), (text.settings.capture_meaning)(*capture));
        (capture.to_string(), title.to_owned(), meaning.to_owned())
    });
    let sends = here.sends("set_ceilings", [("version", ceilings.version.to_string())]);
    view! {
        <p class="page-meta">{text.tenant.ceilings_text}</p>
        <Form action=here.action sends=sends>
            <ChoiceField
                field="content_capture"
                label=text.tenant.capture
                value=present.as_str()
                options=captures.collect()
            />
            <FormActions label=text.common.save />
        </Form>
    }
    .into_any()
}
