//! `/models`: provider accounts with their models, prices, egress rules; `/models/new` and one account.

mod egress;
mod model;
mod prices;
mod provider;
mod providers;

use leptos::prelude::*;

use crate::component::{Page, PageHead, Place, Tab, Tabs, changes, params, told_action, use_frame};
use crate::function::{
    ClosePrivateNetwork, CreateEgressRule, CreatePrice, DeleteEgressRule, find_egress_policy, find_model_hub,
    list_prices,
};
use crate::text::text;

use egress::EgressTab;
use prices::PricesTab;
pub(crate) use provider::{NewProvider, Provider};
use providers::ProvidersTab;

/// A tab of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Providers,
    Prices,
    Egress,
}

/// Providers, prices, egress.
#[component]
pub(crate) fn Models() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let shown = Memo::new(move |_| {
        params.with(|params| match params.get("tab") {
            Some("prices") => Shown::Prices,
            Some("egress") => Shown::Egress,
            _ => Shown::Providers,
        })
    });
    let common = &text().common;
    let price = told_action::<CreatePrice>(common.told_added);
    let (added, removed, closed) = (
        told_action::<CreateEgressRule>(common.told_added),
        told_action::<DeleteEgressRule>(common.told_deleted),
        told_action::<ClosePrivateNetwork>(common.saved),
    );
    let moves = (changes(added), changes(removed), changes(closed));
    let price_version = changes(price);
    // The cursor is that of the list which is shown.
    let after = move |of: Shown| {
        let cursor = params.with(|params| params.get("after").map(str::to_owned));
        cursor.filter(|_| shown.get() == of)
    };
    let hub = frame.resource(move || after(Shown::Providers), find_model_hub);
    let prices = frame
        .resource(move || (price_version.get(), after(Shown::Prices)), |slug, (_, after)| list_prices(slug, after));
    let policy = frame.resource(
        move || (shown.get() == Shown::Egress, moves.0.get(), moves.1.get(), moves.2.get()),
        |slug, (wanted, ..)| async move { if wanted { find_egress_policy(slug).await.map(Some) } else { Ok(None) } },
    );
    view! {
        {move || match shown.get() {
            Shown::Egress => {
                frame.page(policy, move |place, policy| {
                    let policy = policy.unwrap_or_default();
                    let meta = (text().egress.count)(policy.rules.len());
                    view! {
                        <Page>
                            <Head place=place.clone() shown=Shown::Egress meta=meta />
                            <EgressTab place=place policy=policy added=added removed=removed closed=closed />
                        </Page>
                    }
                })
            }
            Shown::Prices => {
                frame.page(prices, move |place, prices| {
                    let meta = (text().models.price_count)(prices.total);
                    view! {
                        <Page>
                            <Head place=place.clone() shown=Shown::Prices meta=meta />
                            <PricesTab place=place prices=prices action=price params=params.get_untracked() />
                        </Page>
                    }
                })
            }
            Shown::Providers => {
                frame.page(hub, move |place, hub| {
                    let meta = (text().models.count)(hub.providers.total, hub.model_count);
                    view! {
                        <Page>
                            <Head place=place.clone() shown=Shown::Providers meta=meta />
                            <ProvidersTab place=place hub=hub params=params.get_untracked() />
                        </Page>
                    }
                })
            }
        }}
    }
    .into_any()
}

#[component]
fn Head(place: Place, shown: Shown, meta: String) -> impl IntoView {
    let models = &text().models;
    let tab = |of: Shown, label: &'static str, href: String| Tab { label, href, current: shown == of, count: None };
    let tabs = vec![
        tab(Shown::Providers, models.tab_providers, place.at.models()),
        tab(Shown::Prices, models.tab_prices, place.at.prices()),
        tab(Shown::Egress, models.tab_egress, place.at.egress()),
    ];
    let create = (shown == Shown::Providers && place.may("provider.create")).then(|| place.at.new_provider());
    view! {
        <PageHead title=models.title meta=Some(meta.into_any())>
            {create
                .map(|href| {
                    view! {
                        <a class="btn btn--primary" href=href data-shortcut="c">
                            {models.add_provider}
                        </a>
                    }
                })}
        </PageHead>
        <Tabs label=models.title tabs=tabs />
    }
    .into_any()
}
