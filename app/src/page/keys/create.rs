//! `/keys/new`: name and reach first, limits second, the secret third. Each step is an address, so it works without scripts; what
//! was chosen travels along in it until the last step posts everything at once.

use leptos::prelude::*;
use types::id::ServicePrincipalId;
use types::identity::Scope;
use types::run::Capture;

use crate::component::{
    ChoiceField, Form, FormActions, FormState, FormSummary, Notice, Page, PageHead, Place, SelectField, TextField,
    Tone, Width, params, use_frame,
};
use crate::form::KeyForm;
use crate::function::{CreateKey, list_key_subjects};
use crate::query::Params;
use crate::text::text;

/// The form of a new key.
#[component]
pub(crate) fn NewKey() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let principals = frame.resource(|| (), |slug, ()| list_key_subjects(slug));
    frame.page(principals, move |place, principals| {
        view! { <Steps place=place params=params principals=principals /> }
    })
}

#[component]
fn Steps(place: Place, params: Memo<Params>, principals: Vec<(ServicePrincipalId, String)>) -> impl IntoView {
    let text = text();
    let action = ServerAction::<CreateKey>::new();
    let steps = move || {
        let params = params.get();
        let chosen = chosen(&params);
        let wrong = params.get("step").is_some().then(|| chosen.read().err()).flatten();
        let second = params.get("step") == Some("limits") && wrong.is_none();
        let (place, principals) = (place.clone(), principals.clone());
        view! {
            <Stepper current=usize::from(second) />
            {wrong.map(|problem| view! { <FormSummary form=FormState::refused(problem.into()) /> })}
            {if second {
                view! { <Limits place=place chosen=chosen action=action params=params /> }.into_any()
            } else {
                view! { <Reach place=place chosen=chosen principals=principals /> }.into_any()
            }}
        }
    };
    view! {
        <Page width=Width::Narrow>
            <PageHead title=text.keys.new above=Some((text.keys.title, place_keys())) />
            {steps}
        </Page>
    }
    .into_any()
}

fn place_keys() -> String {
    use_frame().at().keys()
}

/// What the first step chose.
fn chosen(params: &Params) -> KeyForm {
    let text = |name: &str| params.get(name).unwrap_or_default().to_owned();
    KeyForm {
        name: text("name"),
        scope: params.get("scope").unwrap_or(Scope::Write.as_str()).to_owned(),
        expires_in_days: text("expires_in_days"),
        principal_id: text("principal_id"),
        ..KeyForm::default()
    }
}

/// Where one is in making a key.
#[component]
pub(super) fn Stepper(
    /// Which step, from 0.
    current: usize,
) -> impl IntoView {
    let step = |(index, name): (usize, &'static str)| {
        view! {
            <li data-done=(index < current).then_some("") aria-current=(index == current).then_some("step")>
                {name}
            </li>
        }
    };
    view! { <ol class="stepper">{text().keys.steps.into_iter().enumerate().map(step).collect_view()}</ol> }.into_any()
}

/// The first step: a plain form that only changes the address.
#[component]
fn Reach(place: Place, chosen: KeyForm, principals: Vec<(ServicePrincipalId, String)>) -> impl IntoView {
    let text = text();
    let offered = Scope::ALL.iter().filter(|scope| **scope != Scope::Admin || place.may("api_key.create_admin_scope"));
    let scopes = offered
        .map(|scope| {
            let (title, meaning) = ((text.word.scope)(*scope), (text.keys.scope_meaning)(*scope));
            (scope.to_string(), title.to_owned(), meaning.to_owned())
        })
        .collect();
    let issues = place.may("service_principal.issue_key") && !principals.is_empty();
    let subject = issues.then(|| {
        let oneself = (String::new(), text.subjects.myself.to_owned());
        let others = principals.into_iter().map(|(id, name)| (id.to_string(), name));
        view! {
            <SelectField
                field="principal_id"
                name="principal_id"
                label=text.keys.acts
                hint=text.keys.acts_hint
                value=chosen.principal_id
                options=std::iter::once(oneself).chain(others).collect()
            />
        }
    });
    view! {
        <form class="form" method="get" action=place.at.new_key()>
            <input type="hidden" name="step" value="limits" />
            <TextField field="name" name="name" label=text.common.name hint=text.keys.name_hint value=chosen.name />
            {subject}
            <ChoiceField field="scope" name="scope" label=text.keys.scope value=chosen.scope options=scopes />
            <TextField
                field="expires_in_days"
                name="expires_in_days"
                label=text.keys.expires
                hint=text.keys.expires_hint
                value=chosen.expires_in_days
                optional=true
                digits=true
                after=text.keys.days
            />
            <div class="form-actions">
                <button class="btn btn--primary" type="submit" data-testid="submit">
                    {text.common.continue_}
                </button>
                <a class="btn btn--quiet" href=place.at.keys()>
                    {text.common.cancel}
                </a>
            </div>
        </form>
    }
    .into_any()
}

/// The second step: limits, all of them optional, and the post that makes the key.
#[component]
fn Limits(place: Place, chosen: KeyForm, action: ServerAction<CreateKey>, params: Params) -> impl IntoView {
    let text = text();
    let back = params.without(&["step"]).here();
    let sends = place.sends([
        ("form[name]", chosen.name.clone()),
        ("form[scope]", chosen.scope),
        ("form[expires_in_days]", chosen.expires_in_days),
        ("form[principal_id]", chosen.principal_id),
    ]);
    let as_workspace = (String::new(), text.keys.keeps_workspace.to_owned());
    let captures = Capture::ALL.iter().map(|capture| (capture.to_string(), (text.word.capture)(*capture).to_owned()));
    let captures = std::iter::once(as_workspace).chain(captures).collect();
    view! {
        <Form action=action sends=sends>
            <Notice tone=Tone::Neutral text=chosen.name />
            <div class="field-row">
                <TextField
                    field="rate_limit_per_minute"
                    label=text.keys.requests_per_minute
                    optional=true
                    digits=true
                />
                <TextField
                    field="daily_request_quota"
                    label=text.keys.requests_per_day
                    optional=true
                    digits=true
                />
                <TextField
                    field="daily_token_quota"
                    label=text.keys.tokens_per_day
                    optional=true
                    digits=true
                />
            </div>
            <TextField
                field="allowed_models"
                label=text.keys.models
                hint=text.keys.models_hint
                optional=true
                mono=true
                lines=3
            />
            <TextField
                field="ip_allowlist"
                label=text.keys.addresses
                hint=text.keys.addresses_hint
                optional=true
                mono=true
                lines=3
            />
            <SelectField
                field="content_capture"
                label=text.keys.keeps
                hint=text.keys.keeps_hint
                value=""
                options=captures
            />
            <TextField
                field="labels"
                label=text.keys.labels
                hint=text.keys.labels_hint
                optional=true
                mono=true
                lines=2
            />
            <FormActions label=text.keys.create>
                <a class="btn btn--quiet" href=back>
                    {text.common.back}
                </a>
            </FormActions>
        </Form>
    }
    .into_any()
}
