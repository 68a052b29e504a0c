//! `/keys`: API keys in one tab, budgets in the other; `/keys/new` and the one reveal of a secret.

mod create;
mod list;
mod peek;
mod reveal;

use leptos::prelude::*;

use crate::component::{Page, PageHead, Place, Tab, Tabs, params, use_frame, use_live};
use crate::function::{list_budgets, list_keys};
use crate::page::budgets::BudgetList;
use crate::text::text;

pub(crate) use create::NewKey;
use list::KeyList;
use peek::Peek;
pub(crate) use reveal::KeyReveal;

/// Keys and budgets.
#[component]
pub(crate) fn Keys() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let is_budgets = Memo::new(move |_| params.with(|params| params.get("tab") == Some("budgets")));
    // The cursor is that of the list which is shown.
    let after = move |of_budgets: bool| {
        let cursor = params.with(|params| params.get("after").map(str::to_owned));
        cursor.filter(|_| is_budgets.get() == of_budgets)
    };
    let keys = frame.resource(move || after(false), list_keys);
    let budgets = frame.resource(move || after(true), list_budgets);
    use_live().on_change(move |changes| {
        if changes.budgets || changes.missed {
            budgets.refetch();
            keys.refetch();
        }
    });
    view! {
        {move || {
            if is_budgets.get() {
                frame.page(budgets, move |place, budgets| {
                    let meta = (text().budgets.count)(budgets.total);
                    view! {
                        <Page>
                            <Head place=place.clone() meta=meta budgets=true />
                            <BudgetList place=place budgets=budgets params=params.get_untracked() />
                        </Page>
                    }
                })
            } else {
                frame.page(keys, move |place, keys| {
                    let meta = (text().keys.count)(keys.total);
                    view! {
                        <Page>
                            <Head place=place.clone() meta=meta budgets=false />
                            <KeyList place=place keys=keys params=params />
                        </Page>
                    }
                })
            }
        }}
        <Peek keys=keys params=params />
    }
    .into_any()
}

#[component]
fn Head(place: Place, meta: String, budgets: bool) -> impl IntoView {
    let text = text();
    let tab = |label: &'static str, href: String, current: bool| Tab { label, href, current, count: None };
    let tabs = vec![tab(text.keys.tab, place.at.keys(), !budgets), tab(text.budgets.tab, place.at.budgets(), budgets)];
    let create = match budgets {
        true => place.may("budget.create").then(|| (place.at.new_budget(), text.budgets.new)),
        false => place.may("api_key.create").then(|| (place.at.new_key(), text.keys.new)),
    };
    view! {
        <PageHead title=text.keys.title meta=Some(meta.into_any())>
            {create
                .map(|(href, label)| {
                    view! {
                        <a class="btn btn--primary" href=href data-shortcut="c">
                            {label}
                        </a>
                    }
                })}
        </PageHead>
        <Tabs label=text.keys.title tabs=tabs />
    }
    .into_any()
}
