//! The tab of provider accounts: a card each, with its models; the built-in test models beneath.

use leptos::prelude::*;
use types::modelhub::{Capability, ProviderStatus};

use super::model::ModelTable;
use crate::backend::models::{ModelHub, ProviderView, TestModel};
use crate::component::{CopyButton, Empty, Icon, Paged, Place, StateMark, Verdict, VerdictView};
use crate::query::Params;
use crate::text::text;

/// The accounts and the built-in models.
#[component]
pub(super) fn ProvidersTab(place: Place, hub: ModelHub, params: Params) -> impl IntoView {
    let text = text();
    let providers = if hub.providers.total == 0 {
        let create = place.may("provider.create").then(|| {
            view! {
                <a class="btn" href=place.at.new_provider()>
                    {text.models.add_provider}
                </a>
            }
        });
        view! {
            <Empty icon=Icon::Server title=text.models.empty text=text.models.empty_text>
                {create}
            </Empty>
        }
        .into_any()
    } else {
        let card = |view: ProviderView| view! { <Card place=place.clone() view=view /> };
        let rows = |providers: Vec<ProviderView>| {
            view! { <div class="stack">{providers.into_iter().map(card).collect_view()}</div> }.into_any()
        };
        view! { <Paged list=hub.providers params=params rows=rows /> }.into_any()
    };
    view! {
        <section class="section">{providers}</section>
        {(!hub.test_models.is_empty()).then(|| view! { <TestModels models=hub.test_models /> })}
    }
    .into_any()
}

#[component]
fn Card(place: Place, view: ProviderView) -> impl IntoView {
    let text = text();
    let ProviderView { provider, models, egress } = view;
    let credential =
        if provider.secret_id.is_some() { text.models.credential_set } else { text.models.credential_none };
    view! {
        <article class="card" data-testid="provider">
            <header class="card-head">
                <h2>
                    <a class="link link--quiet" href=place.at.provider(provider.id)>
                        {provider.name.to_string()}
                    </a>
                </h2>
                <ProviderState status=provider.status />
                <span class="card-end">
                    <EgressState allowed=egress.map(|offer| offer.allowed) />
                    <a class="btn btn--sm" href=place.at.provider(provider.id)>
                        {text.models.settings}
                    </a>
                </span>
            </header>
            <div class="card-body">
                <p class="muted">
                    <code>{provider.base_url}</code> " · " {(text.word.provider)(provider.kind)} " · " {credential}
                </p>
                {if models.is_empty() {
                    view! { <p>{text.models.no_models_text}</p> }.into_any()
                } else {
                    view! { <ModelTable models=models /> }.into_any()
                }}
            </div>
        </article>
    }
    .into_any()
}

/// Whether an account may be called.
#[component]
pub(super) fn ProviderState(status: ProviderStatus) -> impl IntoView {
    let common = &text().common;
    match status {
        ProviderStatus::Active => view! { <StateMark state="succeeded" label=common.enabled /> },
        ProviderStatus::Disabled => view! { <StateMark state="paused" label=common.disabled /> },
    }
}

/// Whether calls to an account may leave; nothing where that could not be judged.
#[component]
pub(super) fn EgressState(allowed: Option<bool>) -> impl IntoView {
    let egress = &text().egress;
    match allowed {
        Some(true) => view! { <VerdictView verdict=Verdict::Allow label=egress.allowed /> }.into_any(),
        Some(false) => view! { <VerdictView verdict=Verdict::Deny label=egress.denied /> }.into_any(),
        None => view! { <span class="muted">{egress.unknown}</span> }.into_any(),
    }
}

#[component]
fn TestModels(models: Vec<TestModel>) -> impl IntoView {
    let text = text();
    let can = |capabilities: Vec<Capability>| {
        capabilities.into_iter().map(|capability| (text.word.capability)(capability)).collect::<Vec<_>>().join(", ")
    };
    let row = |model: TestModel| {
        view! {
            <tr>
                <td class="cell-main">
                    <code class="id">{model.pattern.clone()}</code>
                    <CopyButton text_to_copy=model.example />
                </td>
                <td class="cell-full">{(text.models.test_meaning)(&model.pattern)}</td>
                <td data-label=text.models.can class="cell-spare">{can(model.capabilities)}</td>
            </tr>
        }
    };
    view! {
        <section class="section" data-testid="test-models">
            <header class="section-head">
                <h2>{text.models.test_models}</h2>
            </header>
            <p class="muted">{text.models.test_models_text}</p>
            <div class="table-wrap">
                <table class="table table--cards">
                    <thead>
                        <tr>
                            <th scope="col">{text.models.reference}</th>
                            <th scope="col" class="cell-wide">
                                {text.models.model}
                            </th>
                            <th scope="col">{text.models.can}</th>
                        </tr>
                    </thead>
                    <tbody>{models.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}
