//! The first steps. Each ticks itself off; the last one is a call that can be pasted.

use leptos::prelude::*;
use types::observe::Setup;

use super::FirstModel;
use crate::component::{Place, Snippets};
use crate::text::text;

/// The first steps, and the first call while there was none.
#[component]
pub(super) fn FirstSteps(place: Place, setup: Setup, hub: FirstModel) -> impl IntoView {
    let home = &text().home;
    let at = &place.at;
    // A step the reader may not do stays a step, and leads nowhere.
    let may = |action: &str, href: String| place.may(action).then_some(href);
    let step = |done: bool, [title, meaning]: [&'static str; 2], href: Option<String>| {
        view! {
            <li data-done=done.then_some("") data-testid="setup-step">
                <i class="check-mark"></i>
                <div>
                    <a href=href>{title}</a>
                    <p>{meaning}</p>
                </div>
            </li>
        }
    };
    let api_url = place.shell.api_url.clone();
    let call = (!setup.run).then(|| {
        view! {
            <section class="section" id="first-call">
                <header class="section-head">
                    <h2>{home.first_call}</h2>
                </header>
                <p class="muted">{home.first_call_text}</p>
                <Transition>
                    {move || {
                        let api_url = api_url.clone();
                        Suspend::new(async move {
                            hub.await
                                .ok()
                                .flatten()
                                .map(|model| view! { <Snippets api_url=api_url secret=None model=model.example /> })
                        })
                    }}
                </Transition>
            </section>
        }
    });
    view! {
        <section class="section" data-testid="first-steps">
            <header class="section-head">
                <h2>{home.first_steps}</h2>
                <span class="muted">{home.first_steps_text}</span>
            </header>
            <ol class="checklist">
                {step(setup.key, home.setup_key, may("api_key.create", at.new_key()))}
                {step(setup.run, home.setup_run, Some("#first-call".to_owned()))}
                {step(setup.budget, home.setup_budget, may("budget.create", at.new_budget()))}
                {step(setup.provider, home.setup_provider, may("provider.create", at.new_provider()))}
            </ol>
        </section>
        {call}
    }
    .into_any()
}
