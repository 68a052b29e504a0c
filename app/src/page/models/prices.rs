//! The tab of prices: never changed, only followed.

use leptos::prelude::*;
use types::modelhub::Price;
use types::money::Amount;
use types::run::UsageClass;

use super::model::Rates;
use crate::backend::List;
use crate::component::{Disclosure, Empty, Form, FormActions, FormState, Icon, Look, Moment, Paged, Place, TextField};
use crate::format;
use crate::function::CreatePrice;
use crate::query::Params;
use crate::text::text;

/// A prefix to show the form of one.
const EXAMPLE_REF: &str = "model:test:*";
/// Classes with a column of their own.
const COLUMNS: [UsageClass; 4] = [UsageClass::Input, UsageClass::Output, UsageClass::CacheRead, UsageClass::Reasoning];

/// The prices, and the form that adds one.
#[component]
pub(super) fn PricesTab(
    place: Place,
    prices: List<Price>,
    action: ServerAction<CreatePrice>,
    params: Params,
) -> impl IntoView {
    let models = &text().models;
    let is_first = prices.total == 0;
    let table = if is_first {
        view! { <Empty icon=Icon::Costs title=models.no_prices text=models.no_prices_text /> }.into_any()
    } else {
        let rows = |prices: Vec<Price>| view! { <Table prices=prices /> }.into_any();
        view! { <Paged list=prices params=params rows=rows /> }.into_any()
    };
    view! {
        <section class="section">
            <p class="muted">{models.prices_hint}</p>
            {table}
        </section>
        {place.may("model.set_price").then(|| view! { <Add place=place.clone() action=action first=is_first /> })}
    }
    .into_any()
}

#[component]
fn Table(prices: Vec<Price>) -> impl IntoView {
    let text = text();
    let models = &text.models;
    let row = |price: Price| {
        let rate = |class: &UsageClass| {
            let shown = match price.rates.get(class) {
                Some(rate) => format::exact(price.currency, Amount::from(*rate)).into_any(),
                None => view! { <span class="none" title=text.common.none>"—"</span> }.into_any(),
            };
            view! {
                <td class="num" data-label=(text.word.usage)(*class)>
                    {shown}
                </td>
            }
        };
        view! {
            <tr data-testid="price">
                <td class="cell-main" data-label=models.match_ref>
                    <code class="id">{price.match_ref.clone()}</code>
                </td>
                {COLUMNS.iter().map(rate).collect_view()}
                <td class="num" data-label=models.valid_from>
                    <Moment at=price.valid_from />
                </td>
                <td data-label=models.note data-priority="2">
                    {price.note.clone()}
                </td>
            </tr>
        }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="prices">
                <caption class="sr-only">{models.prices}</caption>
                <thead>
                    <tr>
                        <th scope="col">{models.match_ref}</th>
                        {COLUMNS
                            .iter()
                            .map(|class| {
                                view! {
                                    <th scope="col" class="num">
                                        {(text.word.usage)(*class)}
                                    </th>
                                }
                            })
                            .collect_view()}
                        <th scope="col" class="num">
                            {models.valid_from}
                        </th>
                        <th scope="col" data-priority="2">
                            {models.note}
                        </th>
                    </tr>
                </thead>
                <tbody>{prices.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Add(place: Place, action: ServerAction<CreatePrice>, first: bool) -> impl IntoView {
    let text = text();
    view! {
        <Disclosure label=text.models.add_price open=first || FormState::of(action).was_refused()>
            <Form action=action sends=place.sends([])>
                <TextField
                    field="match_ref"
                    label=text.models.match_ref
                    hint=text.models.match_ref_hint
                    placeholder=EXAMPLE_REF
                    mono=true
                />
                <Rates />
                <TextField field="note" label=text.models.note optional=true />
                <FormActions label=text.models.add_price look=Look::Plain />
            </Form>
        </Disclosure>
    }
    .into_any()
}
