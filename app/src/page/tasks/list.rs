//! The list.

use leptos::prelude::*;
use types::task::{Task, TaskFilter, TaskStatus};

use super::{TaskStatusView, attempts_of, progress_of};
use crate::backend::set_status;
use crate::backend::tasks::TaskList;
use crate::component::{
    AddressNotices, Choice, Empty, Facet, FilterBar, Icon, Moment, NoMatch, Page, PageHead, Pager, Place, counted,
    params, use_frame, use_live,
};
use crate::format;
use crate::function::list_tasks;
use crate::query::{Params, TASK_FILTERS, TasksQuery};
use crate::route::At;
use crate::text::text;

/// The workspace's tasks, newest first.
#[component]
pub(crate) fn Tasks() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let query = Memo::new(move |_| params.with(TasksQuery::read));
    if query.with_untracked(|query| !query.beyond.is_empty()) {
        set_status(400);
    }
    let list = frame.resource(move || query.with(|query| query.query.clone()), list_tasks);
    use_live().on_change(move |changes| {
        if changes.tasks || changes.missed {
            list.refetch();
        }
    });
    frame.page(list, move |place, list| {
        view! { <Shown place=place list=list query=query.get_untracked() params=params.get_untracked() /> }
    })
}

#[component]
fn Shown(place: Place, list: TaskList, query: TasksQuery, params: Params) -> impl IntoView {
    let text = text();
    let path = place.at.tasks();
    let TaskList { page, cursor_refused } = list;
    let TasksQuery { query, wrong, beyond } = query;
    let is_filtered = !query.filter.is_empty() || query.cursor.is_some();
    let anew = params.clone().without(&["after"]);
    let newest = (query.cursor.is_some() && !cursor_refused).then(|| anew.at(&path));
    let older = page.next_cursor.as_ref().map(|cursor| params.with("after", cursor).at(&path));
    let shown = counted(page.items.len());
    let rows = match (page.items.is_empty(), is_filtered) {
        (true, true) => {
            view! { <NoMatch title=text.tasks.no_match hint=text.tasks.no_match_text all=path.clone() /> }.into_any()
        }
        (true, false) => {
            view! { <Empty icon=Icon::Tasks title=text.tasks.empty text=text.tasks.empty_text /> }.into_any()
        }
        (false, _) => view! {
            <Table at=place.at items=page.items />
            <Pager info=shown newest=newest older=older />
        }
        .into_any(),
    };
    view! {
        <Page>
            <PageHead title=text.tasks.title />
            <AddressNotices wrong=wrong beyond=beyond most=TaskFilter::MOST_VALUES cursor_refused=cursor_refused />
            <Filters path=path params=anew />
            {rows}
        </Page>
    }
    .into_any()
}

#[component]
fn Filters(path: String, params: Params) -> impl IntoView {
    let tasks = &text().tasks;
    let status = |status: &TaskStatus| Choice::new(status.as_str(), (tasks.status)(*status));
    let facet = |name, label, options| Facet { name, label, options };
    let facets = vec![
        facet("f.status", text().common.status, TaskStatus::ALL.iter().map(status).collect()),
        // What has too many values for a menu is chosen on a task.
        facet("f.type", tasks.kind, Vec::new()),
        facet("f.run", tasks.run, Vec::new()),
        facet("f.subject", tasks.subject, Vec::new()),
    ];
    view! { <FilterBar path=path params=params facets=facets names=TASK_FILTERS /> }.into_any()
}

#[component]
fn Table(at: At, items: Vec<Task>) -> impl IntoView {
    let (common, tasks) = (&text().common, &text().tasks);
    let row = |task: Task| view! { <Row at=at.clone() task=task /> };
    let numbers = [tasks.attempts, tasks.progress, tasks.next, common.created].map(|label| {
        view! {
            <th scope="col" class="num">
                {label}
            </th>
        }
    });
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="tasks">
                <caption class="sr-only">{tasks.title}</caption>
                <thead>
                    <tr>
                        <th scope="col">{common.status}</th>
                        <th scope="col">{tasks.kind}</th>
                        <th scope="col">{tasks.subject}</th>
                        {numbers}
                    </tr>
                </thead>
                <tbody>{items.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(at: At, task: Task) -> impl IntoView {
    let (common, tasks) = (&text().common, &text().tasks);
    let subject = task.run_id.map_or_else(|| task.subject.id.clone(), |id| id.to_string());
    // Only what waits has a next try.
    let waits = matches!(task.status, TaskStatus::Queued | TaskStatus::RetryWait);
    view! {
        <tr data-testid="task" data-state=task.status.as_str()>
            <td data-label=common.status>
                <TaskStatusView status=task.status />
            </td>
            <td data-label=tasks.kind class="cell-main">
                <a class="row-link" href=at.task(task.id)>
                    {(tasks.kind_name)(&task.task_type).to_owned()}
                </a>
            </td>
            <td data-label=tasks.subject>
                <code class="id" title=subject.clone()>
                    {format::short_id(&subject)}
                </code>
            </td>
            <td data-label=tasks.attempts class="num">
                {attempts_of(&task)}
            </td>
            <td data-label=tasks.progress class="num">
                {progress_of(&task)}
            </td>
            <td data-label=tasks.next class="num">
                {waits.then(|| view! { <Moment at=task.available_at /> })}
            </td>
            <td data-label=common.created class="num">
                <Moment at=task.created_at />
            </td>
        </tr>
    }
    .into_any()
}
