//! The home page: how it stands, what runs now, and the first steps until they are done.

mod running;
mod setup;
mod tiles;

use leptos::prelude::*;
use types::observe::Overview;

use crate::component::{
    OutcomeChart, OutcomeLegend, OutcomeTable, Page, PageHead, Place, RangePicker, params, use_frame, use_live,
};
use crate::function::{find_model_hub, find_overview};
use crate::query::{Params, Range, Span};
use crate::text::text;

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
    let range = Memo::new(move |_| params.with(|params| Range::read(params, &mut Vec::new())));
    let overview = frame.resource(move || range.get(), find_overview);
    // The first call needs a model to name; without steps left to do, nobody asks for one.
    let hub = frame.resource(
        || (),
        |slug, ()| async move {
            Ok(find_model_hub(slug, None).await.ok().and_then(|hub| hub.test_models.into_iter().next()))
        },
    );
    use_live().on_change(move |_| overview.refetch());
    frame.page(overview, move |place, overview| {
        view! { <Shown place=place overview=overview range=range.get_untracked() params=params.get_untracked() hub=hub /> }
    })
}

/// The built-in model the first call uses, where there is one.
type FirstModel = Resource<Result<Option<crate::backend::models::TestModel>, crate::error::AppError>>;

#[component]
fn Shown(place: Place, overview: Overview, range: Range, params: Params, hub: FirstModel) -> impl IntoView {
    let text = text();
    let at = place.at.clone();
    let setup = overview.setup;
    let is_set_up = setup.provider && setup.key && setup.run && setup.budget;
    let is_new = !setup.run;
    let steps = (!is_set_up).then(|| view! { <FirstSteps place=place.clone() setup=setup hub=hub /> });
    let figures = (!is_new).then(|| {
        let chart = overview.clone();
        view! {
            <Tiles at=at.clone() overview=overview.clone() range=range />
            <section class="section">
                <figure class="chart">
                    <figcaption class="chart-head">
                        <h2>{text.home.outcomes}</h2>
                        <OutcomeLegend />
                    </figcaption>
                    <OutcomeChart buckets=chart.buckets.clone() to=chart.to runs=at.runs() id="outcomes" />
                    <OutcomeTable buckets=chart.buckets to=chart.to runs=at.runs() />
                </figure>
            </section>
            <Running at=at.clone() runs=overview.running.clone() />
        }
    });
    // A new workspace begins with the steps; a working one with its figures.
    let (first, second) =
        if is_new { (steps.into_any(), figures.into_any()) } else { (figures.into_any(), steps.into_any()) };
    view! {
        <Page>
            <PageHead title=text.home.title meta=Some(place.shell.workspace.name.to_string().into_any())>
                {(!is_new).then(|| view! { <RangePicker path=place.at.home() params=params range=range spans=SPANS /> })}
            </PageHead>
            {first}
            {second}
        </Page>
    }
    .into_any()
}
