//! What a step cost, line by line: quantity, rate, amount.

use leptos::prelude::*;
use types::cost::{Cost, PricingStatus};
use types::money::{Amount, Money};
use types::run::UsageClass;

use crate::format;
use crate::text::text;

/// One line of a cost row.
struct Line {
    class: UsageClass,
    quantity: u64,
    /// Rate and amount as they were used; absent where nothing was priced.
    priced: Option<(Amount, Amount)>,
}

/// The lines of a cost row: the quantities of its usage, with what the row says it used to price them.
fn lines(cost: &Cost) -> Vec<Line> {
    let recorded = cost.snapshot.get("lines").and_then(|lines| lines.as_array()).cloned().unwrap_or_default();
    let priced = |class: UsageClass| {
        let line =
            recorded.iter().find(|line| line.get("class").and_then(|word| word.as_str()) == Some(class.as_str()))?;
        let amount = |name: &str| line.get(name)?.as_str()?.parse::<Amount>().ok();
        Some((amount("rate")?, amount("amount")?))
    };
    cost.usage
        .0
        .iter()
        .map(|(class, quantity)| Line { class: *class, quantity: *quantity, priced: priced(*class) })
        .collect()
}

/// The cost rows of a step.
#[component]
pub(super) fn CostLines(costs: Vec<Cost>) -> impl IntoView {
    if costs.is_empty() {
        return view! { <p class="muted">{text().run.not_charged}</p> }.into_any();
    }
    costs.into_iter().map(|cost| view! { <CostRow cost=cost /> }).collect_view().into_any()
}

#[component]
fn CostRow(cost: Cost) -> impl IntoView {
    let text = text();
    let currency = cost.currency;
    let unknown = || view! { <span class="none" title=text.common.unknown>"—"</span> }.into_any();
    let money = move |amount: Option<Amount>| match (currency, amount) {
        (Some(currency), Some(amount)) => {
            let exact = format::exact(currency, amount);
            view! { <span title=exact>{format::amount(Money { currency, amount })}</span> }.into_any()
        }
        _ => unknown(),
    };
    let rate = move |rate: Option<Amount>| match (currency, rate) {
        (Some(currency), Some(rate)) => format::exact(currency, rate).into_any(),
        _ => unknown(),
    };
    let line = |line: Line| {
        view! {
            <tr>
                <td>{(text.word.usage)(line.class)}</td>
                <td class="num">{format::count(line.quantity)}</td>
                <td class="num">{rate(line.priced.map(|(rate, _)| rate))}</td>
                <td class="num">{money(line.priced.map(|(_, amount)| amount))}</td>
            </tr>
        }
    };
    let tone = match cost.pricing_status {
        PricingStatus::Priced | PricingStatus::Free => None,
        PricingStatus::Estimated | PricingStatus::Unpriced => Some("ask"),
    };
    let reason = cost.reason.as_ref().map(|reason| reason.replace('_', " "));
    let note = format!("{}: {}", text.run.basis, (text.word.basis)(cost.usage_basis));
    view! {
        <div class="table-wrap" data-testid="cost">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{text.run.class}</th>
                        <th scope="col" class="num">
                            {text.run.quantity}
                        </th>
                        <th scope="col" class="num">
                            {text.run.rate}
                        </th>
                        <th scope="col" class="num">
                            {text.run.amount}
                        </th>
                    </tr>
                </thead>
                <tbody>{lines(&cost).into_iter().map(line).collect_view()}</tbody>
                <tfoot>
                    <tr>
                        <td colspan="3">
                            <span class="chip" data-tone=tone>
                                {(text.word.pricing)(cost.pricing_status)}
                            </span>
                            {reason.map(|reason| view! { " " <span class="muted">{reason}</span> })}
                        </td>
                        <td class="num">{money(cost.amount)}</td>
                    </tr>
                </tfoot>
            </table>
        </div>
        <p class="field-hint">{note}</p>
    }
    .into_any()
}
