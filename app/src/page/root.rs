//! `/`: leads to the workspace used last.

use leptos::prelude::*;
use leptos_router::components::Redirect;

use crate::component::{Empty, Failure, Icon};
use crate::function::find_last_workspace;
use crate::route::At;
use crate::text::text;

/// Leads to the workspace used last.
#[component]
pub(crate) fn Root() -> impl IntoView {
    let last = Resource::new(|| (), |()| find_last_workspace());
    view! {
        <Suspense>
            {move || Suspend::new(async move {
                match last.await {
                    Ok(Some(slug)) => view! { <Redirect path=At::workspace(slug).home() /> }.into_any(),
                    Ok(None) => {
                        let shell = &text().shell;
                        view! {
                            <main class="gate" id="main">
                                <Empty icon=Icon::Workspace title=shell.no_workspace text=shell.no_workspace_text />
                            </main>
                        }
                            .into_any()
                    }
                    Err(error) => {
                        view! {
                            <main class="gate" id="main">
                                <Failure error=error whole=true />
                            </main>
                        }
                            .into_any()
                    }
                }
            })}
        </Suspense>
    }
    .into_any()
}
