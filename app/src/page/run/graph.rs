//! The run as it ran: what came after what from left to right, what went on at once beneath each other.

use leptos::prelude::*;
use types::id::StepId;
use types::run::Step;

use crate::component::{StepTitle, layers};
use crate::format;
use crate::text::text;

/// The steps in layers.
#[component]
pub(super) fn Graph(
    /// The steps.
    steps: Vec<Step>,
    /// The step in the pane.
    selected: Option<StepId>,
    /// The page with a step selected.
    href: impl Fn(StepId) -> String + Send + Sync + 'static,
) -> impl IntoView {
    let run = &text().run;
    let node = |step: Step| {
        let (id, state, took) = (step.id, step.status.as_str(), step.latency_ms.map(format::duration));
        view! {
            <a
                class="graph-node"
                href=href(id)
                aria-current=(selected == Some(id)).then_some("true")
                data-noscroll=""
                data-testid="node"
                data-state=state
            >
                <StepTitle step=step />
                <span class="muted">{took}</span>
            </a>
        }
    };
    let layer = |steps: Vec<Step>| view! { <li class="graph-layer">{steps.into_iter().map(node).collect_view()}</li> };
    view! {
        <ol class="graph" aria-label=run.view_graph data-testid="graph">
            {layers(steps).into_iter().map(layer).collect_view()}
        </ol>
    }
    .into_any()
}
