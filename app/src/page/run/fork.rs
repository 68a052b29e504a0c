//! `/runs/{id}/replay`: the form of a replay from a step.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::id::RunId;
use types::problem::{Code, Problem};
use types::replay::ReplayTools;

use crate::backend::runs::RunDetail;
use crate::component::{
    Empty, Form, FormActions, Icon, Page, PageHead, Place, SelectField, TextField, Width, step_subject, told_action,
    use_frame,
};
use crate::function::{ForkRun, find_run};
use crate::text::text;

/// The form of a replay from a step.
#[component]
pub(crate) fn Fork() -> impl IntoView {
    let frame = use_frame();
    let path = use_params_map();
    let id = Memo::new(move |_| path.with(|path| path.get_str("run").and_then(|text| text.parse::<RunId>().ok())));
    let detail = frame.resource(
        move || id.get(),
        |slug, id| async move {
            match id {
                Some(id) => find_run(slug, id).await,
                None => Err(Problem::new(Code::NotFound, "no such run").into()),
            }
        },
    );
    frame.page(detail, |place, detail| view! { <Shown place=place detail=detail /> })
}

#[component]
fn Shown(place: Place, detail: RunDetail) -> impl IntoView {
    let (texts, words) = (&text().replay, &text().word);
    let action = told_action::<ForkRun>(texts.begun);
    let RunDetail { run, steps, .. } = detail;
    let back = place.at.run(run.id);
    let above = Some((texts.source, back.clone()));
    let step = |step: types::run::Step| {
        let subject = step_subject(&step).unwrap_or_default();
        let name = format!("{} · {} {subject}", step.seq, (words.step_type)(step.step_type));
        (step.seq.to_string(), name.trim_end().to_owned())
    };
    let options: Vec<(String, String)> = steps.into_iter().map(step).collect();
    let tools = ReplayTools::ALL.iter().map(|tools| (tools.to_string(), (texts.tool)(*tools).to_owned())).collect();
    let form = if options.is_empty() {
        view! { <Empty icon=Icon::List title=text().run.no_steps text=text().run.no_steps_text /> }.into_any()
    } else {
        view! {
            <Form action=action sends=place.sends([("id", run.id.to_string())])>
                <SelectField field="from_seq" label=texts.from hint=texts.fork_text value="" options=options />
                <TextField field="model_ref" label=texts.model hint=texts.model_hint mono=true optional=true />
                <TextField field="system_prompt" label=texts.prompt hint=texts.prompt_hint lines=3 optional=true />
                <TextField field="params" label=texts.params hint=texts.params_hint lines=3 mono=true optional=true />
                <TextField field="input" label=texts.input hint=texts.input_hint lines=3 optional=true />
                <SelectField field="tools" label=texts.tools hint=texts.tools_hint value="simulated" options=tools />
                <FormActions label=texts.fork back=back />
            </Form>
        }
        .into_any()
    };
    view! {
        <Page width=Width::Narrow>
            <PageHead title=texts.fork above=above />
            {form}
        </Page>
    }
    .into_any()
}
