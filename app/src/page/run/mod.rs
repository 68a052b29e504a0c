//! `/runs/{id}`: one run, its steps by order, by time and as they ran, its log, and everything about one step.

mod cost;
mod feedback;
mod fork;
mod graph;
mod inspect;
mod live;
mod log;
mod pane;
mod replay;

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::id::{RunId, StepId};
use types::name::Slug;
use types::page::Page as Rows;
use types::problem::{Code, Problem};
use types::replay::Timeline;
use types::run::{Run as RunRecord, RunEvent, RunStatus, Step};

use crate::backend::runs::RunDetail;
use crate::component::{
    BrowserCheck, ButtonForm, Checked, CopyButton, Cost, Empty, ErrorNotice, Icon, IconView, Look, Moment, Notice,
    Page, PageHead, Place, RunDuration, RunStatusView, StepTree, StreamIndicator, Tab, Tabs, Tone, Width, changes, now,
    params, told_action, use_frame,
};
use crate::error::AppError;
use crate::format;
use crate::function::{CancelRun, GiveFeedback, find_run, inspect_run, list_run_events};
use crate::query::Params;
use crate::resource::Resource;
use crate::route;
use crate::text::text;

pub(crate) use fork::Fork;

use feedback::FeedbackOf;
use graph::Graph;
use inspect::Inspect;
use live::LiveRun;
use log::Log;
use pane::Pane;
use replay::{CameOut, ReplayOf};

/// A view of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Tree,
    Timeline,
    Graph,
    Log,
    Inspect,
}

impl View {
    const ALL: [Self; 5] = [Self::Tree, Self::Timeline, Self::Graph, Self::Log, Self::Inspect];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Timeline => "timeline",
            Self::Graph => "graph",
            Self::Log => "log",
            Self::Inspect => "inspect",
        }
    }

    fn read(params: &Params) -> Self {
        let word = params.get("view").unwrap_or_default();
        Self::ALL.into_iter().find(|view| view.as_str() == word).unwrap_or(Self::Tree)
    }
}

/// One run.
#[component]
pub(crate) fn Run() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let path = use_params_map();
    let id = Memo::new(move |_| path.with(|path| path.get_str("run").and_then(|text| text.parse::<RunId>().ok())));
    let view = Memo::new(move |_| params.with(View::read));
    let cancel = told_action::<CancelRun>(text().run.cancel_asked);
    let say = told_action::<GiveFeedback>(text().compare.sent);
    let (asked, said) = (changes(cancel), changes(say));
    let detail = frame.resource(
        move || (id.get(), asked.get(), said.get()),
        |slug, (id, ..)| async move {
            match id {
                Some(id) => find_run(slug, id).await,
                None => Err(Problem::new(Code::NotFound, "no such run").into()),
            }
        },
    );
    // Only the log reads events, and starts where the address says.
    let events = frame.resource(
        move || (id.get(), view.get() == View::Log, params.with(after)),
        |slug, (id, wanted, after)| events_of(slug, id.filter(|_| wanted), after),
    );
    let timeline = frame.resource(
        move || (id.get(), view.get() == View::Inspect, params.with(after)),
        |slug, (id, wanted, after)| timeline_of(slug, id.filter(|_| wanted), after),
    );
    let going =
        Memo::new(move |_| detail.with(|detail| matches!(detail, Some(Ok(detail)) if !detail.run.status.is_final())));
    let url = Signal::derive(move || {
        let (slug, id) = (frame.slug().get()?, id.get()?);
        going.get().then(|| route::run_stream(&slug, id))
    });
    let live = LiveRun::follow(url, move || {
        detail.refetch();
        events.refetch();
        timeline.refetch();
    });
    frame.page(detail, move |place, detail| {
        view! { <Shown place=place detail=detail params=params events=events timeline=timeline live=live cancel=cancel say=say /> }
    })
}

fn after(params: &Params) -> u64 {
    params.get("after").and_then(|offset| offset.parse().ok()).unwrap_or_default()
}

async fn events_of(slug: Slug, id: Option<RunId>, after: u64) -> Result<Rows<RunEvent>, AppError> {
    match id {
        Some(id) => list_run_events(slug, id, after).await,
        None => Ok(Rows::from(Vec::new())),
    }
}

async fn timeline_of(slug: Slug, id: Option<RunId>, after: u64) -> Result<Option<Timeline>, AppError> {
    match id {
        Some(id) => inspect_run(slug, id, after).await.map(Some),
        None => Ok(None),
    }
}

#[component]
fn Shown(
    place: Place,
    detail: RunDetail,
    params: Memo<Params>,
    events: Resource<Result<Rows<RunEvent>, AppError>>,
    timeline: Resource<Result<Option<Timeline>, AppError>>,
    live: LiveRun,
    cancel: ServerAction<CancelRun>,
    say: ServerAction<GiveFeedback>,
) -> impl IntoView {
    let text = text();
    let run = detail.run.clone();
    let id = run.id.to_string();
    let is_ending = run.status.is_final() || run.status == RunStatus::Canceling;
    let actions = (!is_ending && place.may("run.cancel")).then(|| {
        let sends = place.sends([("id", id.clone())]);
        view! { <ButtonForm action=cancel sends=sends label=text.run.cancel look=Look::Danger /> }.into_any()
    });
    let evidence = (run.status.is_final() && place.may("run.evidence")).then(|| {
        let href = route::run_evidence(&place.shell.workspace.slug, run.id);
        view! {
            <a class="btn" href=href rel="external" download="" data-testid="evidence">
                <IconView icon=Icon::Download />
                {text.run.evidence}
            </a>
        }
    });
    let check = evidence.is_some().then(|| {
        let href = route::run_evidence(&place.shell.workspace.slug, run.id);
        view! { <BrowserCheck what=Checked::Evidence href=href /> }
    });
    let beside = view! {
        <RunStatusView status=run.status chip=true />
        <CopyButton text_to_copy=id.clone() />
        {(!run.status.is_final()).then(|| view! { <StreamIndicator state=live.state() /> })}
    };
    let shown = detail.clone();
    let came_out = detail.replay.clone().map(|replay| {
        let (place, run) = (place.clone(), run.clone());
        view! { <CameOut place=place run=run replay=replay /> }
    });
    let meta = (run.refusals > 1).then(|| (text.run.refusals)(run.refusals).into_any());
    view! {
        <Page width=Width::Detail>
            <PageHead
                title=format::short_id(&id)
                above=Some((text.runs.title, place.at.runs()))
                beside=Some(beside.into_any())
                meta=meta
            >
                {actions}
                {evidence}
            </PageHead>
            <Facts run=run.clone() names=detail.names.clone() />
            {came_out}
            {check}
            {run.error.clone().map(|error| view! { <ErrorNotice error=error /> })}
            {(run.delivered == Some(false)).then(|| view! { <Notice tone=Tone::Ask text=text.run.not_delivered /> })}
            <Views params=params steps=detail.steps.len() />
            {move || {
                let detail = shown.clone();
                match params.with(View::read) {
                    View::Log => view! { <Log events=events params=params /> }.into_any(),
                    View::Inspect => {
                        let RunDetail { run, steps, .. } = detail;
                        view! { <Inspect timeline=timeline run=run steps=steps params=params /> }.into_any()
                    }
                    view => view! { <Steps detail=detail params=params live=live view=view /> }.into_any(),
                }
            }}
            <ReplayOf place=place.clone() run=run.clone() replays=detail.replays />
            <FeedbackOf place=place run=run feedback=detail.feedback action=say />
        </Page>
    }
    .into_any()
}

/// At most six facts in a line.
#[component]
fn Facts(run: RunRecord, names: std::collections::BTreeMap<String, String>) -> impl IntoView {
    let text = text();
    let label = if run.api_key_id.is_some() { text.run.key } else { text.run.caller };
    let caller = format::caller(&run, &names);
    view! {
        <dl class="facts" data-testid="facts">
            <div>
                <dt>{text.run.model}</dt>
                <dd>{run.model_ref.clone().unwrap_or_else(|| "—".to_owned())}</dd>
            </div>
            <div>
                <dt>{label}</dt>
                <dd>{caller}</dd>
            </div>
            <div>
                <dt>{text.run.tokens}</dt>
                <dd>{format::tokens(&run)}</dd>
            </div>
            <div>
                <dt>{text.run.cost}</dt>
                <dd>
                    <Cost totals=run.totals.clone() />
                </dd>
            </div>
            <div>
                <dt>{text.runs.duration}</dt>
                <dd>
                    <RunDuration run=run.clone() />
                </dd>
            </div>
            <div>
                <dt>{text.run.started}</dt>
                <dd>
                    <Moment at=run.started_at />
                </dd>
            </div>
        </dl>
    }
    .into_any()
}

#[component]
fn Views(params: Memo<Params>, steps: usize) -> impl IntoView {
    let run = &text().run;
    move || {
        let present = params.with(View::read);
        let tab = |view: View| {
            let label = match view {
                View::Tree => run.view_tree,
                View::Timeline => run.view_timeline,
                View::Graph => run.view_graph,
                View::Log => run.view_log,
                View::Inspect => text().replay.inspect,
            };
            let count = (view == View::Tree).then(|| format::count(u64::try_from(steps).unwrap_or(u64::MAX)));
            let href = params.get().without(&["after", "at"]).with("view", view.as_str()).here();
            Tab { label, href, current: view == present, count }
        };
        view! { <Tabs label=run.views tabs=View::ALL.map(tab).into() /> }
    }
}

/// The steps, and the one that is selected.
#[component]
fn Steps(detail: RunDetail, params: Memo<Params>, live: LiveRun, view: View) -> impl IntoView {
    let text = text();
    let RunDetail { run, steps, costs, .. } = detail;
    if steps.is_empty() {
        return view! { <Empty icon=Icon::List title=text.run.no_steps text=text.run.no_steps_text /> }.into_any();
    }
    let asked = params.with_untracked(|params| params.get("step").map(str::to_owned));
    let selected = match &asked {
        Some(text) => text.parse::<StepId>().ok(),
        None => first_of_interest(&run, &steps),
    };
    let step = selected.and_then(|id| steps.iter().find(|step| step.id == id).cloned());
    let shown = step.as_ref().map(|step| step.id);
    let href = move |id: StepId| params.get_untracked().with("step", &id.to_string()).here();
    let span = (run.started_at, end(&run, &steps));
    view! {
        <div class="split">
            <div class="split-main">
                {match view {
                    View::Graph => view! { <Graph steps=steps selected=shown href=href /> }.into_any(),
                    _ => {
                        let flat = view == View::Timeline;
                        view! { <StepTree steps=steps costs=costs.clone() span=span selected=shown href=href flat=flat /> }
                            .into_any()
                    }
                }}
            </div>
            <aside class="split-pane" aria-label=text.run.step data-testid="step-pane">
                {match step {
                    Some(step) => view! { <Pane run=run step=step costs=costs live=live /> }.into_any(),
                    None => view! { <Notice tone=Tone::Ask text=text.run.no_step /> }.into_any(),
                }}
            </aside>
        </div>
    }
    .into_any()
}

/// The step that failed, else the first one.
fn first_of_interest(run: &RunRecord, steps: &[Step]) -> Option<StepId> {
    run.error.as_ref().and_then(|error| error.step_id).or_else(|| steps.first().map(|step| step.id))
}

/// The end of a run, or how far it has come.
fn end(run: &RunRecord, steps: &[Step]) -> DateTime<Utc> {
    let last = steps.iter().filter_map(|step| step.ended_at).max();
    let present = if run.status.is_final() { run.started_at } else { now().get_untracked() };
    run.ended_at.or(last).unwrap_or(present).max(present)
}
