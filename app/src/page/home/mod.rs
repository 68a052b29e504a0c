//! The home page: how it stands, what runs now, and the first steps until they are done.

mod running;
mod setup;
mod tiles;

use leptos::prelude::*;
use types::observe::Overview;
use types::run::Run;

use crate::backend::models::TestModel;
use crate::component::{
    Dragged, Loading, OutcomeChart, OutcomeLegend, OutcomeTable, Page, PageHead, Place, RangePicker, panel, params,
    use_frame, use_live,
};
use crate::function::{find_model_hub, find_overview, list_running};
use crate::query::{Params, Range, Span};
use crate::text::text;
use crate::visit::visit;

use running::Running;
use setup::FirstSteps;
use tiles::Tiles;

/// Spans the home page offers.
const SPANS: &[Span] = &[Span::HOUR, Span::DAY, Span::WEEK, Span::MONTH];

/// The home page.
#[component]
pub(crate) fn Home() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let visit = visit();
    let range = Memo::new(move |_| params.with(|params| Range::read(params, &visit.zone, &mut Vec::new())));
    let overview = frame.resource(move || range.get(), find_overview);
    let running = frame.resource(|| (), |slug, ()| list_running(slug));
    // The first call needs a model to name; without steps left to do, nobody asks for one.
    let hub = frame.resource(
        || (),
        |slug, ()| async move {
            Ok(find_model_hub(slug, None).await.ok().and_then(|hub| hub.test_models.into_iter().next()))
        },
    );
    use_live().on_change(move |_| {
        overview.refetch();
        running.refetch();
    });
    // The page itself needs its workspace alone; each panel loads, and fails, by itself.
    frame.page(frame.shell(), move |place, _| {
        view! { <Shown place=place overview=overview running=running hub=hub range=range params=params /> }
    })
}

/// The built-in model the first call uses, where there is one.
type FirstModel = Loading<Option<TestModel>>;

#[component]
fn Shown(
    place: Place,
    overview: Loading<Overview>,
    running: Loading<Vec<Run>>,
    hub: FirstModel,
    range: Memo<Range>,
    params: Memo<Params>,
) -> impl IntoView {
    let home = &text().home;
    let at = place.at.clone();
    let path = at.home();
    let name = place.shell.workspace.name.to_string();
    let spans = move || view! { <RangePicker path=path.clone() params=params.get() range=range.get() spans=SPANS /> };
    let dragged = Dragged::default();
    let figures = panel(home.figures, overview, move |overview| {
        let range = range.get_untracked();
        view! { <Figures place=place.clone() overview=overview range=range hub=hub dragged=dragged /> }.into_any()
    });
    let running =
        panel(home.running_now, running, move |runs| view! { <Running at=at.clone() runs=runs /> }.into_any());
    view! {
        <Page>
            <PageHead title=home.title meta=Some(name.into_any())>
                {spans}
            </PageHead>
            {figures}
            {running}
        </Page>
    }
    .into_any()
}

/// How it stands. A new workspace has the first steps instead, one that still lacks something has both.
#[component]
fn Figures(place: Place, overview: Overview, range: Range, hub: FirstModel, dragged: Dragged) -> impl IntoView {
    let (at, setup) = (place.at.clone(), overview.setup);
    let is_set_up = setup.provider && setup.key && setup.run && setup.budget;
    let steps = (!is_set_up).then(|| view! { <FirstSteps place=place setup=setup hub=hub /> });
    let figures = setup.run.then(|| {
        let (buckets, to) = (overview.buckets.clone(), overview.to);
        view! {
            <Tiles at=at.clone() overview=overview range=range />
            <section class="section">
                <figure class="chart">
                    <figcaption class="chart-head">
                        <h2>{text().home.outcomes}</h2>
                        <OutcomeLegend />
                    </figcaption>
                    <OutcomeChart buckets=buckets.clone() to=to runs=at.runs() page=at.home() id="outcomes" dragged=dragged />
                    <OutcomeTable buckets=buckets to=to runs=at.runs() />
                </figure>
            </section>
        }
    });
    view! {
        {figures}
        {steps}
    }
    .into_any()
}
