//! `/keys/{id}/reveal`: a new secret, once, with the first call ready to paste. The form that made it leads here by a POST, which
//! takes it; a GET only says whether it is still there, so that nothing that loads pages ahead uses it up.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::id::ApiKeyId;
use types::key::ApiKey;
use types::name::Slug;
use types::problem::{Code, Problem};

use super::create::Stepper;
use crate::backend::keys::Reveal;
use crate::backend::models::ModelHub;
use crate::component::{Empty, Icon, Page, PageHead, Place, Snippets, Width, use_frame};
use crate::error::AppError;
use crate::function::{find_key, find_model_hub, take_reveal};
use crate::query::Params;
use crate::text::text;

/// A key, its secret if this is the first time, and a model it can call.
#[derive(Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Revealed {
    key: ApiKey,
    secret: Reveal,
    model: Option<String>,
}

/// The one reveal.
#[component]
pub(crate) fn KeyReveal() -> impl IntoView {
    let frame = use_frame();
    let path = use_params_map();
    let id = Memo::new(move |_| path.with(|path| path.get_str("key").and_then(|text| text.parse::<ApiKeyId>().ok())));
    let revealed = frame.resource(move || id.get(), reveal);
    frame.page(revealed, |place, revealed| view! { <Shown place=place revealed=revealed /> })
}

async fn reveal(slug: Slug, id: Option<ApiKeyId>) -> Result<Revealed, AppError> {
    let id = id.ok_or_else(|| AppError::from(Problem::new(Code::NotFound, "no such key")))?;
    let key = find_key(slug.clone(), id).await?.key;
    // A page without snippets is better than a secret that was taken and not shown.
    let model = find_model_hub(slug.clone(), None).await.ok().and_then(|hub| callable(&key, &hub));
    let secret = take_reveal(slug, id).await?;
    Ok(Revealed { key, secret, model })
}

/// A model the key may call: one of its own list, else one that is enabled, else a built-in one.
fn callable(key: &ApiKey, hub: &ModelHub) -> Option<String> {
    if let Some(allowed) = &key.allowed_models {
        return allowed.first().cloned();
    }
    let providers =
        hub.providers.page.items.iter().filter(|view| view.egress.as_ref().is_none_or(|offer| offer.allowed));
    let enabled = providers
        .flat_map(|view| &view.models)
        .find(|view| view.model.enabled)
        .map(|view| view.model.model_ref.clone());
    enabled.or_else(|| hub.test_models.first().map(|model| model.example.clone()))
}

#[component]
fn Shown(place: Place, revealed: Revealed) -> impl IntoView {
    let text = text();
    let Revealed { key, secret, model } = revealed;
    let name = key.name.to_string();
    let budget = Params::default().with("scope", &format!("api_key:{}", key.id)).at(&place.at.new_budget());
    let secret = match secret {
        Reveal::Secret(secret) => secret,
        Reveal::Waiting => {
            return view! {
                <Page width=Width::Narrow>
                    <PageHead title=(text.keys.reveal_title)(&name) above=Some((text.keys.title, place.at.keys())) />
                    <Empty icon=Icon::Hidden title=text.keys.waits text=text.keys.waits_text>
                        <form method="post">
                            <button class="btn btn--primary" type="submit" data-testid="show">
                                {text.keys.show}
                            </button>
                        </form>
                    </Empty>
                </Page>
            }
            .into_any();
        }
        Reveal::Gone | Reveal::Sent => {
            return view! {
                <Page width=Width::Narrow>
                    <PageHead title=(text.keys.reveal_title)(&name) above=Some((text.keys.title, place.at.keys())) />
                    <Empty icon=Icon::Hidden title=text.keys.gone text=text.keys.gone_text>
                        <a class="btn" href=Params::default().with("peek", &key.id.to_string()).at(&place.at.keys())>
                            {text.keys.to_list}
                        </a>
                    </Empty>
                </Page>
            }
            .into_any();
        }
    };
    view! {
        <Page width=Width::Narrow>
            <PageHead title=(text.keys.reveal_title)(&name) above=Some((text.keys.title, place.at.keys())) />
            <Stepper current=2 />
            <div class="reveal" data-testid="reveal">
                <p class="reveal-text">{text.keys.reveal}</p>
                <div class="reveal-line">
                    <code class="reveal-value" tabindex="0" data-testid="secret">
                        {secret.clone()}
                    </code>
                    <button class="btn" type="button" data-copy=secret.clone()>
                        {text.common.copy}
                    </button>
                </div>
            </div>
            {model
                .map(|model| {
                    view! {
                        <section class="section">
                            <header class="section-head">
                                <h2>{text.keys.try_it}</h2>
                            </header>
                            <Snippets api_url=place.shell.api_url.clone() secret=Some(secret) model=model />
                        </section>
                    }
                })}
            <div class="form-actions">
                <a class="btn btn--primary" href=place.at.keys()>
                    {text.keys.to_list}
                </a>
                {place
                    .may("budget.create")
                    .then(|| {
                        view! {
                            <a class="btn" href=budget>
                                {text.keys.set_budget}
                            </a>
                        }
                    })}
            </div>
        </Page>
    }
    .into_any()
}
