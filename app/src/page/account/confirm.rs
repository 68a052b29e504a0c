//! `/confirm-email`: confirms an address with the token of a link.

use leptos::prelude::*;

use super::gate::{Done, Gate, Send, TokenLine};
use crate::component::params;
use crate::route;
use crate::text::text;

/// Confirms an address.
#[component]
pub(crate) fn ConfirmEmail() -> impl IntoView {
    let account = &text().account;
    let params = params().get();
    let body = match params.get("done") {
        Some(_) => view! {
            <Done words=account.confirmed />
            <div class="form-actions">
                <a class="btn btn--primary" href="/">
                    {account.go_on}
                </a>
            </div>
        }
        .into_any(),
        None => view! {
            <form class="form" method="post" action=route::CONFIRM_EMAIL_POST>
                <TokenLine />
                <Send label=account.confirm />
            </form>
        }
        .into_any(),
    };
    view! {
        <Gate title=account.confirm_title hint=account.confirm_text params=params>
            {body}
        </Gate>
    }
    .into_any()
}
