//! `/`: leads to the workspace used last; with `?choose`, or without one, to choose from where one can go.

use leptos::prelude::*;
use leptos_router::components::Redirect;

use crate::backend::tenants::Places;
use crate::component::{Bare, Empty, Icon, Page, PageHead, Width, awaited, params, provide_toasts};
use crate::function::find_places;
use crate::resource::resource;
use crate::route::{self, At};
use crate::text::text;

/// Leads to the workspace used last, or shows where one can go.
#[component]
pub(crate) fn Root() -> impl IntoView {
    provide_toasts();
    let chooses = params().with_untracked(|params| params.get("choose").is_some());
    let places = resource(|| (), |()| find_places());
    let shown = move |places: Places| match &places.last {
        Some(slug) if !chooses => view! { <Redirect path=At::workspace(slug).home() /> }.into_any(),
        _ => view! { <Chooser places=places /> }.into_any(),
    };
    view! { <Bare>{awaited(move || async move { places.await }, shown)}</Bare> }.into_any()
}

#[component]
fn Chooser(places: Places) -> impl IntoView {
    let text = text();
    let none = places.workspaces.is_empty().then(|| {
        view! { <Empty icon=Icon::Workspace title=text.shell.no_workspace text=text.shell.no_workspace_text /> }
    });
    let link = |href: String, name: String, note: &'static str| {
        view! {
            <li>
                <a class="btn" href=href>
                    {name}
                    <span class="count">{note}</span>
                </a>
            </li>
        }
    };
    let workspaces = places.workspaces.iter().map(|workspace| {
        let note = (text.word.role)(workspace.role);
        link(At::workspace(&workspace.slug).home(), workspace.name.to_string(), note)
    });
    let workspaces = workspaces.collect_view();
    let tenants = places.tenants.iter().filter_map(|tenant| {
        let role = tenant.role.filter(|role| route::manages(*role))?;
        let href = route::tenant(&tenant.slug, "workspaces");
        Some(link(href, tenant.name.to_string(), (text.word.tenant_role)(role)))
    });
    let tenants = tenants.collect_view();
    let operator = places.is_operator.then(|| link(route::operator("tenants"), text.tenant.operator.to_owned(), ""));
    view! {
        <Page width=Width::Narrow>
            <PageHead title=text.shell.places />
            {none}
            <ul class="stack" data-testid="places">
                {workspaces}
            </ul>
            <h2>{text.tenant.title}</h2>
            <ul class="stack">{tenants} {operator}</ul>
        </Page>
    }
    .into_any()
}
