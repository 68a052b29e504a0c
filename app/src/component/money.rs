//! Money: one figure a currency, never added; unknown is a dash with its reason.

use leptos::prelude::*;
use types::money::Money;
use types::run::Totals;

use crate::format;
use crate::text::text;

/// Amounts, one a currency, and how much of them is unknown or estimated.
#[component]
pub(crate) fn MoneyList(
    /// One entry a currency.
    amounts: Vec<Money>,
    /// Metered attempts without a price.
    #[prop(optional)]
    unpriced: u64,
    /// Whether part of it is estimated.
    #[prop(optional)]
    estimated: bool,
) -> impl IntoView {
    let common = &text().common;
    let exact: Vec<String> = amounts.iter().map(|money| format::exact(money.currency, money.amount)).collect();
    let shown: Vec<String> = amounts.into_iter().map(format::amount).collect();
    if shown.is_empty() {
        let reason = if unpriced > 0 { (common.unpriced)(unpriced) } else { common.none.to_owned() };
        return view! { <span class="none" title=reason>"—"</span> }.into_any();
    }
    let mut title = exact.join(" · ");
    if estimated {
        title = format!("{title} · {}", common.estimated);
    }
    let class = if estimated { "est" } else { "" };
    view! {
        <span class=class title=title>{shown.join(" · ")}</span>
        {(unpriced > 0).then(|| view! { " " <span class="muted">"+ " {(common.unpriced)(unpriced)}</span> })}
    }
    .into_any()
}

/// What a run cost.
#[component]
pub(crate) fn Cost(
    /// What it added up to.
    totals: Totals,
) -> impl IntoView {
    view! { <MoneyList amounts=totals.cost unpriced=u64::from(totals.unpriced) estimated=totals.estimated /> }
        .into_any()
}
