//! One task.

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::id::TaskId;
use types::problem::{Code, Problem};
use types::task::{Task as Record, TaskStatus};

use super::{TaskStatusView, attempts_of, progress_of};
use crate::component::{
    ButtonForm, FormState, FormSummary, Id, Look, Moment, Page, PageHead, Place, Width, changes, told_action,
    use_frame, use_live,
};
use crate::format;
use crate::function::{CancelTask, RetryTask, find_task};
use crate::query::Params;
use crate::text::text;

/// What somebody decides about a task.
#[derive(Clone, Copy)]
struct Actions {
    cancel: ServerAction<CancelTask>,
    retry: ServerAction<RetryTask>,
}

/// One task, with what can be done to it.
#[component]
pub(crate) fn Task() -> impl IntoView {
    let (frame, tasks) = (use_frame(), &text().tasks);
    let path = use_params_map();
    let id = Memo::new(move |_| path.with(|path| path.get_str("task").and_then(|text| text.parse::<TaskId>().ok())));
    let actions = Actions { cancel: told_action(tasks.told_canceled), retry: told_action(tasks.told_retried) };
    let (canceled, retried) = (changes(actions.cancel), changes(actions.retry));
    let task = frame.resource(
        move || (id.get(), canceled.get(), retried.get()),
        |slug, (id, ..)| async move {
            match id {
                Some(id) => find_task(slug, id).await,
                None => Err(Problem::new(Code::NotFound, "no such task").into()),
            }
        },
    );
    use_live().on_change(move |changes| {
        if changes.tasks || changes.missed {
            task.refetch();
        }
    });
    frame.page(task, move |place, task| view! { <Shown place=place task=task actions=actions /> })
}

#[component]
fn Shown(place: Place, task: Record, actions: Actions) -> impl IntoView {
    let tasks = &text().tasks;
    let beside = view! { <TaskStatusView status=task.status chip=true /> }.into_any();
    let name = (tasks.kind_name)(&task.task_type).to_owned();
    let above = Some((tasks.title, place.at.tasks()));
    let buttons = view! { <Buttons place=place.clone() task=task.clone() actions=actions /> };
    view! {
        <Page width=Width::Detail>
            <PageHead title=name above=above beside=Some(beside)>
                {buttons}
            </PageHead>
            <FormSummary form=FormState::of(actions.cancel) />
            <FormSummary form=FormState::of(actions.retry) />
            <Facts place=place task=task />
        </Page>
    }
    .into_any()
}

/// What the state forbids is not offered.
#[component]
fn Buttons(place: Place, task: Record, actions: Actions) -> impl IntoView {
    let tasks = &text().tasks;
    let sends = place.sends([("id", task.id.to_string())]);
    let is_given_up = task.status == TaskStatus::Failed && task.discard_reason.is_none();
    if is_given_up && place.may("task.retry") {
        return view! { <ButtonForm action=actions.retry sends=sends label=tasks.retry look=Look::Primary /> }
            .into_any();
    }
    if !task.status.is_over() && place.may("task.cancel") {
        return view! { <ButtonForm action=actions.cancel sends=sends label=tasks.cancel look=Look::Danger /> }
            .into_any();
    }
    ().into_any()
}

#[component]
fn Facts(place: Place, task: Record) -> impl IntoView {
    let (common, tasks) = (&text().common, &text().tasks);
    let alike = |name: &str, value: &str| Params::default().with(name, value).at(&place.at.tasks());
    let fact = |label: &'static str, value: Option<AnyView>| {
        value.map(|value| {
            view! {
                <dt>{label}</dt>
                <dd>{value}</dd>
            }
        })
    };
    let moment = |at: DateTime<Utc>| view! { <Moment at=at /> }.into_any();
    let run = task.run_id.map(|id| {
        view! {
            <a class="link" href=place.at.run(id)>
                <code class="id">{format::short_id(&id.to_string())}</code>
            </a>
        }
        .into_any()
    });
    let error = task.last_error.as_ref().map(|error| {
        view! {
            <code>{error.code.clone()}</code>
            " "
            <span lang="en">{error.message.clone()}</span>
        }
        .into_any()
    });
    let waits = matches!(task.status, TaskStatus::Queued | TaskStatus::RetryWait);
    let about = alike("f.subject", &task.subject.id);
    view! {
        <dl class="dl" data-testid="facts">
            <dt>{tasks.id}</dt>
            <dd>
                <Id id=task.id.to_string() copy=true />
            </dd>
            <dt>{tasks.kind}</dt>
            <dd>
                <a class="link" href=alike("f.type", &task.task_type)>
                    <code>{task.task_type.clone()}</code>
                </a>
            </dd>
            <dt>{tasks.subject}</dt>
            <dd>
                <a class="link" href=about>
                    <code class="id" title=task.subject.id.clone()>
                        {format::short_id(&task.subject.id)}
                    </code>
                </a>
            </dd>
            {fact(tasks.run, run)}
            <dt>{tasks.attempts}</dt>
            <dd>{attempts_of(&task)}</dd>
            {fact(tasks.progress, progress_of(&task).map(IntoAny::into_any))}
            {fact(tasks.error, error)}
            {fact(tasks.discarded, task.discard_reason.clone().map(IntoAny::into_any))}
            {fact(tasks.next, waits.then(|| moment(task.available_at)))}
            <dt>{common.created}</dt>
            <dd>{moment(task.created_at)}</dd>
            {fact(tasks.finished, task.finished_at.map(moment))}
            <dt>{tasks.params}</dt>
            <dd>
                <code>{format::sorted_json(&task.params)}</code>
            </dd>
        </dl>
    }
    .into_any()
}
