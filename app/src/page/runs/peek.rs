//! The drawer beside the list: one run in short.

use leptos::prelude::*;
use types::id::RunId;
use types::problem::{Code, Problem};

use crate::backend::runs::{RunDetail, RunList};
use crate::component::{
    ContentView, Cost, Drawer, ErrorNotice, Failure, Id, Moment, Place, RunDuration, RunStatusView, neighbours,
    use_frame,
};
use crate::error::AppError;
use crate::format;
use crate::function::find_run;
use crate::query::{Params, RunsQuery};
use crate::resource::Resource;
use crate::text::text;
use crate::visit::visit;

/// The run in the drawer, if the address names one.
#[component]
pub(super) fn Peek(list: Resource<Result<RunList, AppError>>, params: Memo<Params>) -> impl IntoView {
    let frame = use_frame();
    let visit = visit();
    let asked = Memo::new(move |_| params.with(|params| RunsQuery::read(params, &visit.zone).peek));
    let detail = frame.resource(
        move || asked.get().and_then(|(_, id)| id),
        |slug, id| async move {
            match id {
                Some(id) => find_run(slug, id).await.map(Some),
                None => Ok(None),
            }
        },
    );
    let shell = frame.shell();
    view! {
        <Transition>
            {move || {
                asked
                    .get()
                    .map(|(given, id)| {
                        Suspend::new(async move {
                            let (Ok(shell), Ok(list)) = (shell.await, list.await) else { return ().into_any() };
                            let found = detail.await;
                            let params = params.get_untracked();
                            let rows: Vec<RunId> = list.page.items.iter().map(|run| run.id).collect();
                            let index = id.and_then(|id| rows.iter().position(|row| *row == id));
                            let around = neighbours(&rows, index, &params);
                            let close = params.without(&["peek"]).here();
                            view! { <Shown place=Place::new(shell) given=given found=found close=close around=around /> }
                                .into_any()
                        })
                    })
            }}
        </Transition>
    }
    .into_any()
}

#[component]
fn Shown(
    place: Place,
    given: String,
    found: Result<Option<RunDetail>, AppError>,
    close: String,
    around: (Option<String>, Option<String>),
) -> impl IntoView {
    let text = text();
    let (previous, next) = around;
    let title = format::short_id(&given);
    let (body, foot) = match found {
        Ok(Some(detail)) => {
            let href = place.at.run(detail.run.id);
            let foot = view! {
                <a class="btn btn--primary" href=href data-shortcut="Enter">
                    {text.runs.open}
                </a>
            };
            (view! { <Summary detail=detail /> }.into_any(), Some(foot.into_any()))
        }
        Ok(None) => (view! { <Failure error=Problem::new(Code::NotFound, given.clone()).into() /> }.into_any(), None),
        Err(error) => (view! { <Failure error=error /> }.into_any(), None),
    };
    view! {
        <Drawer title=title close=close previous=previous next=next foot=foot>
            {body}
        </Drawer>
    }
    .into_any()
}

#[component]
fn Summary(detail: RunDetail) -> impl IntoView {
    let text = text();
    let RunDetail { run, names, .. } = detail;
    let caller = format::caller(&run, &names);
    view! {
        <div class="row">
            <RunStatusView status=run.status chip=true />
            <Id id=run.id.to_string() copy=true />
        </div>
        <dl class="dl">
            <dt>{text.runs.model}</dt>
            <dd>{run.model_ref.clone().unwrap_or_else(|| "—".to_owned())}</dd>
            <dt>{text.runs.key}</dt>
            <dd>{caller}</dd>
            <dt>{text.runs.tokens}</dt>
            <dd>{format::tokens(&run)}</dd>
            <dt>{text.runs.cost}</dt>
            <dd>
                <Cost totals=run.totals.clone() />
            </dd>
            <dt>{text.runs.duration}</dt>
            <dd>
                <RunDuration run=run.clone() />
            </dd>
            <dt>{text.runs.started}</dt>
            <dd>
                <Moment at=run.started_at />
            </dd>
        </dl>
        {run.error.map(|error| view! { <ErrorNotice error=error /> })}
        <ContentView title=text.run.input content=run.input capture=run.capture run_id=run.id />
        <ContentView title=text.run.output content=run.output capture=run.capture run_id=run.id />
    }
    .into_any()
}
