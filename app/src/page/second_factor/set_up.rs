//! A fresh seed, shown once: as a picture and as text, with the form that confirms it.

use leptos::prelude::*;

use super::ConfirmForm;
use crate::backend::second_factor::SetUp as Seed;
use crate::text::text;

/// A fresh seed.
#[component]
pub(super) fn SetUp(setup: Seed) -> impl IntoView {
    let (common, text) = (&text().common, &text().second_factor);
    view! {
        <p>{text.scan}</p>
        <img class="qr" src=setup.qr alt=text.qr width="220" height="220" data-testid="qr" />
        <p>
            <a class="link" href=setup.uri rel="external">
                {text.open_app}
            </a>
        </p>
        <div class="reveal" data-testid="reveal">
            <p class="reveal-text">{text.type_in}</p>
            <div class="reveal-line">
                <code class="reveal-value" tabindex="0" data-testid="secret">
                    {setup.secret.clone()}
                </code>
                <button class="btn" type="button" data-copy=setup.secret>
                    {common.copy}
                </button>
            </div>
        </div>
        <ConfirmForm />
    }
    .into_any()
}
