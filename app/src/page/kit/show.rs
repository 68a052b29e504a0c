//! Samples of what is shown: states, figures, tables, meters, the chart, the tree.

use chrono::TimeDelta;
use leptos::prelude::*;
use types::run::{RunStatus, StepStatus, Totals};

use super::Theme;
use super::data::{LONG, buckets, budget, costs, id, money, noon, steps};
use crate::backend::keys::LimitState;
use crate::browser::StreamState;
use crate::component::{
    Away, BudgetMeter, CopyButton, Cost, Dragged, Id, LimitMeter, Moment, MoneyList, OutcomeChart, OutcomeLegend,
    OutcomeTable, Pager, RunStatusView, StepStatusView, StepTree, StreamIndicator, Verdict, VerdictView,
};
use crate::format;
use crate::text::text;

pub(super) fn states(_: Theme) -> AnyView {
    view! {
        {RunStatus::ALL.iter().map(|status| view! { <RunStatusView status=*status /> }).collect_view()}
        {StepStatus::ALL.iter().map(|status| view! { <StepStatusView status=*status chip=true /> }).collect_view()}
        {Verdict::ALL.map(|verdict| view! { <VerdictView verdict=verdict /> }).collect_view()}
        <span class="chip">"v12"</span>
        {["ask", "deny", "running", "waiting", "accent"]
            .map(|tone| view! { <span class="chip" data-tone=tone>"v12"</span> })
            .collect_view()}
    }
    .into_any()
}

pub(super) fn figures(_: Theme) -> AnyView {
    let totals = Totals { cost: vec![money(12_400_000)], unpriced: 2, estimated: true, ..Totals::default() };
    view! {
        <MoneyList amounts=vec![money(41_070_000_000)] />
        <MoneyList amounts=vec![money(4_000)] />
        <MoneyList amounts=vec![] />
        <Cost totals=totals />
        <Id id=id("run", 4) copy=true />
        <CopyButton text_to_copy="x" />
        <Moment at=noon() />
        <Away at=noon() + TimeDelta::days(3) />
        <span class="num">{format::duration(8_240)}</span>
        <span class="delta" data-trend="up" data-good="true">
            "+8 %"
        </span>
        <span class="delta" data-trend="down" data-good="false">
            "−8 %"
        </span>
    }
    .into_any()
}

pub(super) fn table(_: Theme) -> AnyView {
    let text = text();
    let row = |(index, status): (u32, &RunStatus)| {
        view! {
            <tr aria-current=(index == 2).then_some("true")>
                <td data-label=text.common.status>
                    <RunStatusView status=*status />
                </td>
                <td data-label=text.runs.run class="cell-main">
                    <a class="row-link" href="#main">
                        <code class="id">{format::short_id(&id("run", index))}</code>
                    </a>
                </td>
                <td data-label=text.runs.model title=LONG>
                    {if index == 3 { LONG } else { "model:test:echo" }}
                </td>
                <td data-label=text.runs.cost class="num">
                    <MoneyList amounts=vec![money(i64::from(index) * 12_400_000)] />
                </td>
            </tr>
        }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards">
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.runs.run}</th>
                        <th scope="col">{text.runs.model}</th>
                        <th scope="col" class="num" aria-sort="descending">
                            <a class="sort" href="#main">
                                {text.runs.cost}
                            </a>
                        </th>
                    </tr>
                </thead>
                <tbody>{(0..).zip(RunStatus::ALL).map(row).collect_view()}</tbody>
            </table>
        </div>
        <Pager info=(text.common.shown_of)("10", "1,204") newest=Some("#main".to_owned()) older=Some("#main".to_owned()) />
    }
    .into_any()
}

pub(super) fn meters(_: Theme) -> AnyView {
    let limit = |name: &str, used, limit| LimitState { name: name.to_owned(), used, limit };
    view! {
        {budget("7.2", "0.6", 7800).map(|view| view! { <BudgetMeter view=view bites=true /> })}
        {budget("8.5", "0", 8500).map(|view| view! { <BudgetMeter view=view /> })}
        {budget("10.4", "0", 10_400).map(|view| view! { <BudgetMeter view=view small=true /> })}
        <LimitMeter limit=limit("requests_per_day", 120, 10_000) />
        <LimitMeter limit=limit("tokens_per_day", 980_000, 1_000_000) small=true />
    }
    .into_any()
}

pub(super) fn chart(theme: Theme) -> AnyView {
    view! {
        <figure class="chart">
            <figcaption class="chart-head">
                <h3>{text().home.outcomes}</h3>
                <OutcomeLegend />
            </figcaption>
            <OutcomeChart buckets=buckets() to=noon() + TimeDelta::hours(24) runs="#main".to_owned() page="#main".to_owned() id=theme.0 dragged=Dragged::default() />
            <OutcomeTable buckets=buckets() to=noon() + TimeDelta::hours(24) runs="#main".to_owned() />
        </figure>
    }
    .into_any()
}

pub(super) fn tree(_: Theme) -> AnyView {
    let steps = steps();
    let selected = steps.get(1).map(|step| step.id);
    view! {
        <StepTree
            steps=steps
            costs=costs()
            span=(noon(), noon() + TimeDelta::seconds(3))
            selected=selected
            href=|_| "#main".to_owned()
        />
    }
    .into_any()
}

pub(super) fn live(_: Theme) -> AnyView {
    [StreamState::Live, StreamState::Reconnecting, StreamState::Paused, StreamState::Off]
        .map(|state| view! { <StreamIndicator state=Signal::stored(state) /> })
        .collect_view()
        .into_any()
}
