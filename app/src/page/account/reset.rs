//! `/reset-password`: sets a new password with the token of a link.

use leptos::prelude::*;

use super::gate::{Gate, PasswordLines, Send, TokenLine};
use crate::component::params;
use crate::route;
use crate::text::text;

/// Sets a new password.
#[component]
pub(crate) fn ResetPassword() -> impl IntoView {
    let account = &text().account;
    view! {
        <Gate title=account.reset_title hint=account.reset_text params=params().get()>
            <form class="form" method="post" action=route::RESET_PASSWORD_POST>
                <TokenLine />
                <PasswordLines />
                <Send label=account.reset />
            </form>
        </Gate>
    }
    .into_any()
}
