//! `/register`: makes an account, where the deployment lets anybody.

use leptos::prelude::*;

use super::gate::{Done, Gate, Line, PasswordLines, Send};
use crate::backend::set_status;
use crate::component::params;
use crate::route;
use crate::text::text;
use crate::visit::visit;

/// Makes an account.
#[component]
pub(crate) fn Register() -> impl IntoView {
    let account = &text().account;
    let params = params().get();
    let body = if !visit().registration {
        set_status(404);
        view! { <p data-testid="not-offered">{account.not_offered}</p> }.into_any()
    } else if params.get("sent").is_some() {
        view! { <Done words=account.register_sent /> }.into_any()
    } else {
        view! {
            <form class="form" method="post" action=route::REGISTER_POST>
                <Line field="email" label=text().sign_in.email kind="email" autocomplete="email" />
                <Line field="name" label=text().common.name hint=text().settings.name_hint autocomplete="name" />
                <PasswordLines />
                <Send label=account.register />
            </form>
        }
        .into_any()
    };
    view! {
        <Gate title=account.register_title hint=account.register_text params=params>
            {body}
        </Gate>
    }
    .into_any()
}
