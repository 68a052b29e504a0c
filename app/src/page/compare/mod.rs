//! `/runs/compare?a=&b=`: two runs side by side.

mod facts;
mod signed;
mod steps;

use leptos::prelude::*;
use types::compare::Comparison;
use types::id::RunId;
use types::problem::{Code, Problem};

use crate::component::{Empty, Icon, Page, PageHead, Place, params, use_frame};
use crate::function::compare_runs;
use crate::query::Params;
use crate::text::text;

use facts::Facts;
use steps::Steps;

/// Which two, if the address names some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pair {
    Named(RunId, RunId),
    /// At least one is no id.
    Unknown,
    Missing,
}

impl Pair {
    fn read(params: &Params) -> Self {
        let Some((a, b)) = params.get("a").zip(params.get("b")) else { return Self::Missing };
        match (a.parse(), b.parse()) {
            (Ok(a), Ok(b)) => Self::Named(a, b),
            _ => Self::Unknown,
        }
    }
}

/// Two runs side by side.
#[component]
pub(crate) fn Compare() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let pair = Memo::new(move |_| params.with(Pair::read));
    let comparison = frame.resource(
        move || pair.get(),
        |slug, pair| async move {
            match pair {
                Pair::Named(a, b) => compare_runs(slug, a, b).await.map(Some),
                Pair::Unknown => Err(Problem::new(Code::NotFound, "no such run").into()),
                Pair::Missing => Ok(None),
            }
        },
    );
    frame.page(comparison, move |place, comparison| {
        view! { <Shown place=place comparison=comparison /> }
    })
}

#[component]
fn Shown(place: Place, comparison: Option<Comparison>) -> impl IntoView {
    let text = text();
    let above = Some((text.runs.title, place.at.runs()));
    let Some(comparison) = comparison else {
        return view! {
            <Page>
                <PageHead title=text.compare.title above=above />
                <Empty icon=Icon::Runs title=text.compare.two_needed text=text.compare.two_needed_text>
                    <a class="btn" href=place.at.runs()>
                        {text.runs.title}
                    </a>
                </Empty>
            </Page>
        }
        .into_any();
    };
    let changed = comparison.steps.iter().filter(|step| !step.changes.is_empty()).count();
    let changed = u64::try_from(changed).unwrap_or(u64::MAX);
    let meta = if changed == 0 { text.compare.alike.to_owned() } else { (text.compare.changed)(changed) };
    let swapped = place.at.compare(comparison.b.id, comparison.a.id);
    view! {
        <Page>
            <PageHead title=text.compare.title above=above meta=Some(meta.into_any())>
                <a class="btn" href=swapped data-noscroll="">
                    {text.compare.swap}
                </a>
            </PageHead>
            <Facts at=place.at.clone() comparison=comparison.clone() />
            <Steps at=place.at comparison=comparison />
        </Page>
    }
    .into_any()
}
