//! `/forgot-password`: has a link sent that sets a new password.

use leptos::prelude::*;

use super::gate::{Done, Gate, Line, Send};
use crate::component::params;
use crate::route;
use crate::text::text;
use crate::visit::visit;

/// Asks for a link that sets a new password.
#[component]
pub(crate) fn ForgotPassword() -> impl IntoView {
    let account = &text().account;
    let params = params().get();
    let sends_mail = visit().password_reset;
    let hint = if sends_mail { account.forgot_text } else { account.forgot_by_hand };
    let body = if !sends_mail {
        ().into_any()
    } else if params.get("sent").is_some() {
        view! { <Done words=account.reset_sent /> }.into_any()
    } else {
        view! {
            <form class="form" method="post" action=route::FORGOT_PASSWORD_POST>
                <Line field="email" label=text().sign_in.email kind="email" autocomplete="username" />
                <Send label=account.send_link />
            </form>
        }
        .into_any()
    };
    view! {
        <Gate title=account.forgot_title hint=hint params=params>
            {body}
        </Gate>
    }
    .into_any()
}
