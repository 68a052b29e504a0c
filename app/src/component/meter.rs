//! How much of a limit is used, and what running calls hold of it.

use leptos::prelude::*;
use types::money::Money;

use super::clock::Away;
use crate::backend::budgets::BudgetView;
use crate::backend::keys::LimitState;
use crate::format;
use crate::text::text;

/// The least that is drawn of what is not nothing, in tenths of a percent.
const LEAST: i64 = 6;

/// Parts of a limit in tenths of a percent, for the bar.
struct Share {
    used: i64,
    held: i64,
}

impl Share {
    fn new(used: i64, held: i64, limit: i64) -> Self {
        let tenths = |part: i64| {
            let whole = i128::from(part.max(0)) * 1000;
            let tenths = i64::try_from(whole.checked_div(i128::from(limit)).unwrap_or(1000)).unwrap_or(1000);
            // What was used is seen, however little it is.
            if part > 0 { tenths.max(LEAST) } else { tenths }
        };
        Self { used: tenths(used), held: tenths(held) }
    }

    fn tone(&self) -> Option<&'static str> {
        match self.used + self.held {
            1000.. => Some("deny"),
            800..1000 => Some("ask"),
            _ => None,
        }
    }

    fn style(&self) -> String {
        let percent = |tenths: i64| format!("{}.{}", tenths / 10, tenths % 10);
        format!("--used: {}; --held: {}", percent(self.used.min(1000)), percent(self.held.min(1000)))
    }
}

#[component]
fn Meter(label: String, share: Share, #[prop(optional)] small: bool) -> impl IntoView {
    let class = if small { "meter meter--sm" } else { "meter" };
    let now = ((share.used + share.held) / 10).min(100);
    view! {
        <div
            class=class
            data-tone=share.tone()
            style=share.style()
            role="meter"
            aria-valuenow=now
            aria-valuemin="0"
            aria-valuemax="100"
            aria-label=label
        ></div>
    }
    .into_any()
}

/// A budget in its present period: spent, held, of what, and when it starts anew.
#[component]
pub(crate) fn BudgetMeter(
    /// The budget.
    view: BudgetView,
    /// Only name, figures and bar.
    #[prop(optional)]
    small: bool,
    /// Without its name, where that stands beside it.
    #[prop(optional)]
    nameless: bool,
    /// It is the limit that will be reached first.
    #[prop(optional)]
    bites: bool,
) -> impl IntoView {
    let texts = &text().budgets;
    let (budget, state) = (view.budget, view.state);
    let money = move |amount| format::amount(Money { currency: budget.currency, amount });
    let Some(state) = state else {
        return view! { <span class="none" title=texts.state_unknown>"—"</span> }.into_any();
    };
    let share = Share::new(state.spent.nanos(), state.held.nanos(), state.amount.nanos());
    let held = (state.held.nanos() > 0).then(|| (texts.held)(&money(state.held)));
    let note = (!small).then(|| {
        let reset = state.resets_at.map(|at| view! { <span>{texts.resets} " " <Away at=at /></span> });
        view! { <p class="limit-note">{held.clone()} {held.is_some().then_some(" · ")} {reset}</p> }
    });
    let class = if bites { "limit limit--bites" } else { "limit" };
    view! {
        <div class=class data-testid="budget-meter">
            <div class="limit-head">
                {(!nameless).then(|| view! { <span class="truncate">{budget.name.to_string()}</span> })}
                <span class="num" title=format::exact(state.currency, state.spent)>
                    {money(state.spent)}
                    " "
                    <span class="unit">{(texts.of)(&money(state.amount))}</span>
                </span>
            </div>
            <Meter label=budget.name.to_string() share=share small=small />
            {note}
        </div>
    }
    .into_any()
}

/// A counted limit of a key: calls or tokens.
#[component]
pub(crate) fn LimitMeter(
    /// The limit and where it stands.
    limit: LimitState,
    /// Only name, figures and bar.
    #[prop(optional)]
    small: bool,
    /// It is the limit that will be reached first.
    #[prop(optional)]
    bites: bool,
) -> impl IntoView {
    let name = (text().keys.limit)(&limit.name);
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let class = if bites { "limit limit--bites" } else { "limit" };
    view! {
        <div class=class data-testid="limit-meter">
            <div class="limit-head">
                <span class="truncate">{name}</span>
                <span class="num">
                    {format::count(limit.used)} " " <span class="unit">{(text().budgets.of)(&format::count(limit.limit))}</span>
                </span>
            </div>
            <Meter label=name.to_owned() share=Share::new(whole(limit.used), 0, whole(limit.limit)) small=small />
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn the_bar_warns_before_the_limit_and_says_when_it_is_reached() {
        assert_eq!(Share::new(720, 60, 1000).tone(), None);
        assert_eq!(Share::new(720, 80, 1000).tone(), Some("ask"));
        assert_eq!(Share::new(1000, 0, 1000).tone(), Some("deny"));
        assert_eq!(Share::new(0, 0, 0).tone(), Some("deny"));
        assert_eq!(Share::new(725, 61, 10_000).style(), "--used: 7.2; --held: 0.6");
        assert_eq!(Share::new(i64::MAX, i64::MAX, 1).style(), "--used: 100.0; --held: 100.0");
    }
}
