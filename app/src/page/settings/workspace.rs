//! The workspace's settings.

use leptos::prelude::*;
use types::identity::{UnpricedPolicy, Workspace as Record};
use types::run::Capture;
use types::tenant::WorkspaceStatus;

use super::Frame;
use super::scrub::Scrub;
use crate::component::{
    ButtonForm, ChoiceField, ConfirmByName, Form, FormActions, FormState, FormSummary, Notice, Place, Sent, TextField,
    Tone, changes, params, told_action, use_frame,
};
use crate::form::day;
use crate::function::{SetArchived, UpdateWorkspace, find_workspace};
use crate::route::Section;
use crate::text::text;

/// The workspace's settings.
#[component]
pub(super) fn Workspace() -> impl IntoView {
    let frame = use_frame();
    let action = told_action::<UpdateWorkspace>(text().common.saved);
    let archive = told_action::<SetArchived>(text().common.saved);
    let (version, archived) = (changes(action), changes(archive));
    // What surrounds the page says so, too.
    Effect::new(move |before: Option<usize>| {
        let answers = archived.get();
        if before.is_some_and(|before| before != answers) {
            frame.shell().refetch();
        }
        answers
    });
    let workspace = frame.resource(move || (version.get(), archived.get()), |slug, _| find_workspace(slug));
    frame.page(workspace, move |place, workspace| {
        view! { <Shown place=place workspace=workspace action=action archive=archive /> }
    })
}

#[component]
fn Shown(
    place: Place,
    workspace: Record,
    action: ServerAction<UpdateWorkspace>,
    archive: ServerAction<SetArchived>,
) -> impl IntoView {
    let text = text();
    let archiving = place
        .may("workspace.archive")
        .then(|| view! { <Archive place=place.clone() workspace=workspace.clone() action=archive /> });
    let may = place.may("workspace.update");
    let sends = place.sends([("version", workspace.version.to_string())]);
    let scrub = place.may("content.scrub").then(|| view! { <Scrub place=place.clone() /> });
    view! {
        <Frame place=place section=Section::Workspace>
            {if may {
                view! { <Edit sends=sends workspace=workspace action=action /> }.into_any()
            } else {
                view! {
                    <Notice tone=Tone::Neutral text=text.settings.read_only />
                    <Read workspace=workspace />
                }
                    .into_any()
            }}
            {scrub}
            {archiving}
        </Frame>
    }
    .into_any()
}

/// Archives the workspace, once its name was typed; or brings it back.
#[component]
fn Archive(place: Place, workspace: Record, action: ServerAction<SetArchived>) -> impl IntoView {
    let text = &text().tenant;
    let params = params().get_untracked();
    let is_archived = workspace.status == WorkspaceStatus::Archived;
    let sends = place.sends([("archived", (!is_archived).to_string())]);
    if is_archived {
        return view! {
            <FormSummary form=FormState::of(action) />
            <ButtonForm action=action sends=sends label=text.restore />
        }
        .into_any();
    }
    if params.get("archive").is_none() {
        let href = params.with("archive", "1").here();
        return view! { <a class="btn" href=href data-noscroll="">{text.archive}</a> }.into_any();
    }
    let name = workspace.name.to_string();
    view! {
        <ConfirmByName
            title=(text.archive_question)(&name)
            meaning=text.archive_text
            name=name
            action=action
            sends=sends
            back=params.without(&["archive"]).here()
            label=text.archive
        />
    }
    .into_any()
}

#[component]
fn Edit(sends: Sent, workspace: Record, action: ServerAction<UpdateWorkspace>) -> impl IntoView {
    let text = text();
    let unpriced = UnpricedPolicy::ALL.iter().map(|policy| {
        let (title, meaning) = ((text.word.unpriced)(*policy), (text.settings.unpriced_meaning)(*policy));
        (policy.to_string(), title.to_owned(), meaning.to_owned())
    });
    let captures = Capture::ALL.iter().map(|capture| {
        let (title, meaning) = ((text.word.capture)(*capture), (text.settings.capture_meaning)(*capture));
        (capture.to_string(), title.to_owned(), meaning.to_owned())
    });
    view! {
        <Form action=action sends=sends>
            <TextField field="name" label=text.common.name value=workspace.name.to_string() />
            <ChoiceField
                field="unpriced_call_policy"
                label=text.settings.unpriced
                value=workspace.unpriced_call_policy.as_str()
                options=unpriced.collect()
            />
            <ChoiceField
                field="content_capture"
                label=text.settings.capture
                value=workspace.content_capture.as_str()
                options=captures.collect()
            />
            <TextField
                field="require_mfa_from"
                label=text.settings.mfa_from
                hint=text.settings.mfa_from_hint
                value=workspace.require_mfa_from.map(day).unwrap_or_default()
                optional=true
                mono=true
            />
            <FormActions label=text.common.save />
        </Form>
    }
    .into_any()
}

#[component]
fn Read(workspace: Record) -> impl IntoView {
    let text = text();
    view! {
        <dl class="dl">
            <dt>{text.common.name}</dt>
            <dd>{workspace.name.to_string()}</dd>
            <dt>{text.settings.slug}</dt>
            <dd>{workspace.slug.to_string()}</dd>
            <dt>{text.settings.unpriced}</dt>
            <dd>{(text.word.unpriced)(workspace.unpriced_call_policy)}</dd>
            <dt>{text.settings.capture}</dt>
            <dd>{(text.word.capture)(workspace.content_capture)}</dd>
            <dt>{text.settings.mfa_from}</dt>
            <dd>{workspace.require_mfa_from.map_or_else(|| text.settings.mfa_from_nobody.to_owned(), day)}</dd>
        </dl>
    }
    .into_any()
}
