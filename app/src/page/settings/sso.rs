//! The accounts of identity providers that sign in to one's own. Linking begins with a link that this page alone knows.

use leptos::prelude::*;
use types::problem::Code;
use types::sso::{SsoLink, SsoLinks, SsoOffer};

use crate::component::{ButtonForm, FormState, FormSummary, Moment, Place, StepUpForm, params, told_action, use_frame};
use crate::error::AppError;
use crate::function::{UnlinkSso, list_sso_links};
use crate::query::Params;
use crate::route::Section;
use crate::text::text;

/// One's links, and what can be linked; nothing where there is neither.
#[component]
pub(super) fn Links(place: Place) -> impl IntoView {
    let unlinked = told_action::<UnlinkSso>(text().common.saved);
    let links = use_frame().resource(move || unlinked.version().get(), |_, _| list_sso_links());
    let here = place.at.settings(Section::Profile);
    view! {
        <Suspense>
            {move || {
                let here = here.clone();
                Suspend::new(async move {
                    let links: Result<SsoLinks, AppError> = links.await;
                    let links = links.ok().filter(|links| !links.items.is_empty() || !links.offers.is_empty());
                    links.map(|links| view! { <Shown links=links here=here unlinked=unlinked /> })
                })
            }}
        </Suspense>
    }
    .into_any()
}

#[component]
fn Shown(links: SsoLinks, here: String, unlinked: ServerAction<UnlinkSso>) -> impl IntoView {
    let text = text();
    let sso = &text.sso;
    let params = params().get_untracked();
    let error = params.get("error").and_then(|code| code.parse::<Code>().ok());
    let by_provider = params.get("reason").is_some();
    let reason = params.get("reason").and_then(sso.reason);
    let refusal = error.map(|code| {
        view! {
            <div class="form-summary" role="alert" data-testid="sso-error" data-code=code.as_str()>
                <h2>{(text.problem.title)(code)}</h2>
                {reason.map(|reason| view! { <p>{reason}</p> })}
            </div>
            {(code == Code::StepUpRequired).then(|| view! { <StepUpForm by_provider=by_provider /> })}
        }
    });
    let item = |link: SsoLink| {
        let sends = vec![("id", link.id.to_string())];
        view! {
            <li class="row" data-testid="sso-link">
                <span>{link.email.unwrap_or_default()} " " <code>{link.issuer}</code></span>
                <span class="muted">
                    <Moment at=link.last_used_at />
                </span>
                <ButtonForm action=unlinked sends=sends label=sso.unlink />
            </li>
        }
    };
    let offer = move |offer: SsoOffer| {
        let href = Params::default().with("next", &here).at(&offer.link_url);
        view! {
            <a class="btn" href=href rel="external" data-testid="sso-offer">
                {(sso.link)(offer.label.as_str())}
            </a>
        }
    };
    let none = links.items.is_empty().then(|| view! { <p class="muted">{sso.no_links}</p> });
    view! {
        <section class="section" id="sso" data-testid="sso-links">
            <header class="section-head">
                <h3>{sso.profile}</h3>
            </header>
            {refusal}
            <FormSummary form=FormState::of(unlinked) />
            {none}
            <ul class="stack" aria-label=sso.linked>
                {links.items.into_iter().map(item).collect_view()}
            </ul>
            <div class="row">{links.offers.into_iter().map(offer).collect_view()}</div>
        </section>
    }
    .into_any()
}
