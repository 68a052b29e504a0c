//! The table of keys.

use chrono::TimeDelta;
use leptos::prelude::*;
use types::key::KeyStatus;

use super::peek::OVER;
use crate::backend::List;
use crate::backend::budgets::BudgetView;
use crate::backend::keys::{KeyView, LimitState};
use crate::component::{
    Away, BudgetMeter, Empty, Icon, LimitMeter, Moment, MoneyList, Paged, PeekCell, Place, StateMark, peek_of, peeked,
};
use crate::query::Params;
use crate::text::text;
use crate::visit::visit;

/// A key nobody has used for so long is marked.
const STALE: TimeDelta = TimeDelta::days(60);
/// A key that ends so soon is marked.
const SOON: TimeDelta = TimeDelta::days(7);

/// The keys.
#[component]
pub(super) fn KeyList(place: Place, keys: List<KeyView>, params: Memo<Params>) -> impl IntoView {
    let text = text();
    if keys.total == 0 {
        let create = place.may("api_key.create").then(|| {
            view! {
                <a class="btn" href=place.at.new_key()>
                    {text.keys.new}
                </a>
            }
        });
        return view! {
            <Empty icon=Icon::Keys title=text.keys.empty text=text.keys.empty_text>
                {create}
            </Empty>
        }
        .into_any();
    }
    let rows = move |keys: Vec<KeyView>| view! { <Table keys=keys params=params /> }.into_any();
    view! { <Paged list=keys params=params.get_untracked() rows=rows /> }.into_any()
}

#[component]
fn Table(keys: Vec<KeyView>, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let row = move |(index, key): (usize, KeyView)| view! { <Row key=key first=index == 0 params=params /> };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="keys">
                <caption class="sr-only">{text.keys.tab}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.common.name}</th>
                        <th scope="col" data-priority="3">
                            {text.keys.scope}
                        </th>
                        <th scope="col">{text.keys.bites_first}</th>
                        <th scope="col" class="num" data-priority="2">
                            {text.keys.spent_month}
                        </th>
                        <th scope="col" class="num" data-priority="2">
                            {text.keys.last_used}
                        </th>
                        <th scope="col" class="num">
                            {text.keys.expires}
                        </th>
                        <th scope="col">
                            <span class="sr-only">{text.runs.peek}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {keys.into_iter().enumerate().map(row).collect_view()}
                </tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(key: KeyView, first: bool, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let now = visit().now;
    let id = key.key.id.to_string();
    let peek = peek_of(id.clone(), params, OVER);
    let KeyView { key, principal, spent, limits, budgets, .. } = key;
    let is_active = key.status == KeyStatus::Active;
    let since = key.last_used_at.unwrap_or(key.created_at);
    let stale = is_active && now - since > STALE;
    let soon = is_active && key.expires_at - now < SOON;
    let scope = key.scopes.iter().max().map(|scope| (text.word.scope)(*scope));
    view! {
        <tr aria-current=peeked(id, params) data-testid="key" data-state=key.status.as_str()>
            <td data-label=text.common.status>
                <KeyState status=key.status />
            </td>
            <td data-label=text.common.name class="cell-main">
                <a class="row-link" href=peek.clone() data-noscroll="">
                    {key.name.to_string()}
                </a>
                <span class="cell-sub">
                    <code class="id">{key.hint}</code>
                    {principal.map(|name| format!(" · {name}"))}
                </span>
            </td>
            <td data-label=text.keys.scope data-priority="3">
                {scope}
            </td>
            <td data-label=text.keys.bites_first class="cell-limit">
                <BitesFirst limits=limits budgets=budgets />
            </td>
            <td data-label=text.keys.spent_month class="num" data-priority="2">
                <MoneyList amounts=spent />
            </td>
            <td data-label=text.keys.last_used class="num" data-priority="2">
                {key.last_used_at.map_or_else(|| text.common.never.into_any(), |at| view! { <Moment at=at /> }.into_any())}
                {stale.then(|| view! { " " <span class="chip" data-tone="ask" title=text.keys.stale>"60 d"</span> })}
            </td>
            <td data-label=text.keys.expires class="num">
                <span class="chip" data-tone=soon.then_some("ask")>
                    <Away at=key.expires_at />
                </span>
            </td>
            <PeekCell href=peek first=first params=params />
        </tr>
    }
    .into_any()
}

/// Whether a key works.
#[component]
pub(super) fn KeyState(
    /// The state.
    status: KeyStatus,
    /// With a soft ground.
    #[prop(optional)]
    chip: bool,
) -> impl IntoView {
    let state = match status {
        KeyStatus::Active => "succeeded",
        KeyStatus::Expired => "expired",
        KeyStatus::Revoked => "canceled",
    };
    view! { <StateMark state=state label=(text().word.key_status)(status) chip=chip /> }.into_any()
}

/// A limit or budget that binds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Limit(LimitState),
    Budget(BudgetView),
}

impl Binding {
    /// Everything that binds, what is used up most first. Only hard budgets can refuse a call.
    pub(super) fn sorted(limits: Vec<LimitState>, budgets: Vec<BudgetView>) -> Vec<Self> {
        let hard = budgets.into_iter().filter(|view| view.budget.hard_stop);
        let mut all: Vec<Self> = limits.into_iter().map(Self::Limit).chain(hard.map(Self::Budget)).collect();
        all.sort_by_key(|binding| std::cmp::Reverse(binding.used()));
        all
    }

    /// What is used of it, in hundredths of a percent.
    fn used(&self) -> i128 {
        match self {
            Self::Limit(limit) => {
                (i128::from(limit.used) * 10_000).checked_div(i128::from(limit.limit)).unwrap_or(10_000)
            }
            Self::Budget(view) => view.state.as_ref().map_or(0, |state| i128::from(state.percent.hundredths)),
        }
    }
}

#[component]
fn BitesFirst(limits: Vec<LimitState>, budgets: Vec<BudgetView>) -> impl IntoView {
    match Binding::sorted(limits, budgets).into_iter().next() {
        Some(Binding::Limit(limit)) => view! { <LimitMeter limit=limit small=true /> }.into_any(),
        Some(Binding::Budget(budget)) => view! { <BudgetMeter view=budget small=true /> }.into_any(),
        None => view! { <span class="muted">{text().common.no_limit}</span> }.into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_up_most_comes_first_and_soft_budgets_never() {
        let limit = |name: &str, used, limit| LimitState { name: name.to_owned(), used, limit };
        let sorted = Binding::sorted(vec![limit("a", 1, 100), limit("b", 1, 2), limit("c", 0, 0)], vec![]);
        let names: Vec<String> = sorted
            .into_iter()
            .map(|binding| match binding {
                Binding::Limit(limit) => limit.name,
                Binding::Budget(view) => view.budget.name.to_string(),
            })
            .collect();
        assert_eq!(names, ["c", "b", "a"]);
    }
}
