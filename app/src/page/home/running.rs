//! What runs now.

use leptos::prelude::*;
use types::run::{Run, RunStatus};

use crate::component::{Empty, Icon, RunDuration, RunStatusView};
use crate::format;
use crate::query::Params;
use crate::route::At;
use crate::text::text;

/// The runs going on now, newest first.
#[component]
pub(super) fn Running(at: At, runs: Vec<Run>) -> impl IntoView {
    let home = &text().home;
    let all = Params::default().with("f.status", RunStatus::Running.as_str()).at(&at.runs());
    let list = if runs.is_empty() {
        view! { <Empty icon=Icon::Runs title=home.nothing_running text=home.nothing_running_text /> }.into_any()
    } else {
        let row = |run: Run| {
            let href = at.run(run.id);
            let id = format::short_id(&run.id.to_string());
            let state = run.status.as_str();
            view! {
                <li data-testid="running" data-state=state>
                    <RunStatusView status=run.status />
                    <span class="feed-text">
                        <a class="link link--quiet" href=href>
                            <code class="id">{id}</code>
                        </a>
                        " "
                        {run.model_ref.clone()}
                    </span>
                    <time>
                        <RunDuration run=run />
                    </time>
                </li>
            }
        };
        view! { <ul class="feed">{runs.into_iter().map(row).collect_view()}</ul> }.into_any()
    };
    view! {
        <section class="section">
            <header class="section-head">
                <h2>{home.running_now}</h2>
                <a class="link" href=all>
                    {home.all_runs}
                </a>
            </header>
            {list}
        </section>
    }
    .into_any()
}
