//! Seeing the console as a weaker role. A form for each choice: it works without scripts, and the page comes back whole.

use leptos::prelude::*;
use types::identity::Role;

use crate::component::{Icon, IconView, Place};
use crate::route;
use crate::text::text;

/// The roles below one's present one; without any there is nothing to choose.
#[component]
pub(super) fn ViewAs(place: Place) -> impl IntoView {
    let (access, word) = (&text().access, &text().word);
    let own = place.shell.workspace.role;
    let item = |role: &Role| {
        view! {
            <button class="menu-item" name="role" value=role.as_str()>
                {(word.role)(*role)}
            </button>
        }
    };
    let below: Vec<_> = Role::ALL.iter().filter(|role| own < **role).map(item).collect();
    (place.may("me.view_as") && !below.is_empty()).then(|| {
        view! {
            <details class="menu menu--end" name="menu" data-testid="view-as">
                <summary class="btn">
                    {access.view_as}
                    <IconView icon=Icon::ChevronsUpDown />
                </summary>
                <div class="menu-panel">
                    <p class="menu-head">{access.view_as_text}</p>
                    <form method="post" action=route::VIEW_AS_POST>
                        <input type="hidden" name="workspace" value=place.shell.workspace.slug.to_string() />
                        <input type="hidden" name="next" value=place.at.access() />
                        {below}
                    </form>
                </div>
            </details>
        }
    })
}
