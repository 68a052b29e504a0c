//! What both runs came to, and the difference.

use leptos::prelude::*;
use types::compare::Comparison;
use types::run::Run;

use super::signed;
use crate::component::{Cost, Moment, RunDuration, RunStatusView};
use crate::format;
use crate::route::At;
use crate::text::text;

/// Both runs, a fact a row.
#[component]
pub(super) fn Facts(at: At, comparison: Comparison) -> impl IntoView {
    let text = text();
    let Comparison { a, b, delta, .. } = comparison;
    let row = |label: &'static str, of: &dyn Fn(&Run) -> AnyView, difference: Option<AnyView>| {
        let name = difference.is_some().then_some(text.compare.difference);
        view! {
            <tr>
                <th scope="row">{label}</th>
                <td data-label=text.compare.first>{of(&a)}</td>
                <td data-label=text.compare.second>{of(&b)}</td>
                <td data-label=name class="num">
                    {difference}
                </td>
            </tr>
        }
    };
    let link = |run: &Run| {
        let id = run.id.to_string();
        view! {
            <a class="link" href=at.run(&id)>
                <code class="id" title=id.clone()>
                    {format::short_id(&id)}
                </code>
            </a>
        }
        .into_any()
    };
    let model = |run: &Run| run.model_ref.clone().unwrap_or_else(|| "—".to_owned()).into_any();
    view! {
        <div class="table-wrap">
            <table class="table table--cards table--pair" data-testid="compared-runs">
                <caption class="sr-only">{text.compare.title}</caption>
                <thead>
                    <tr>
                        <td></td>
                        <th scope="col">{text.compare.first}</th>
                        <th scope="col">{text.compare.second}</th>
                        <th scope="col" class="num">
                            {text.compare.difference}
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {row(text.runs.run, &link, None)}
                    {row(
                        text.common.status,
                        &|run| view! { <RunStatusView status=run.status /> }.into_any(),
                        None,
                    )}
                    {row(text.run.model, &model, None)}
                    {row(text.run.started, &|run| view! { <Moment at=run.started_at /> }.into_any(), None)}
                    {row(
                        text.runs.duration,
                        &|run| view! { <RunDuration run=run.clone() /> }.into_any(),
                        Some(signed::duration(&delta)),
                    )}
                    {row(text.run.tokens, &|run| format::tokens(run).into_any(), Some(signed::tokens(&delta)))}
                    {row(
                        text.run.cost,
                        &|run| view! { <Cost totals=run.totals.clone() /> }.into_any(),
                        Some(signed::cost(&delta)),
                    )}
                </tbody>
            </table>
        </div>
    }
    .into_any()
}
