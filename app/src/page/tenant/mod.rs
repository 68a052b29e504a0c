//! `/t/{tenant}/{section}`: what those who manage a tenant see of it as a whole, and do in it.

mod audit;
mod ceilings;
mod members;
mod naming;
mod usage;
mod workspaces;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::backend::tenants::{TenantPage, TenantSheet};
use crate::component::{Bare, Page, PageHead, Sent, Tab, Tabs, awaited, changes, params, provide_toasts, told_action};
use crate::function::{ManageTenant, find_tenant_page};
use crate::query::Params;
use crate::resource::resource;
use crate::route::{TENANT_SECTIONS, tenant};
use crate::text::text;

/// A page of a tenant.
#[component]
pub(crate) fn Tenant() -> impl IntoView {
    provide_toasts();
    let (map, params) = (use_params_map(), params());
    let action = told_action::<ManageTenant>(text().common.saved);
    let version = changes(action);
    let page = resource(
        move || {
            let named = |name: &str| map.with(|map| map.get(name)).unwrap_or_default();
            let after = params.with(|params| params.get("after").map(str::to_owned));
            (named("tenant"), named("section"), after, version.get())
        },
        |(tenant, section, after, _)| find_tenant_page(tenant, section, after),
    );
    let shown = move |page: TenantPage| view! { <Shown page=page params=params action=action /> }.into_any();
    view! { <Bare>{awaited(move || async move { page.await }, shown)}</Bare> }.into_any()
}

/// What the parts of a page stand on.
#[derive(Clone)]
struct Here {
    page: TenantPage,
    params: Memo<Params>,
    action: ServerAction<ManageTenant>,
}

impl Here {
    fn may(&self, action: &str) -> bool {
        self.page.permissions.allow(action)
    }

    /// What a form sends unseen: which tenant, whose page it is on, what to do, and these.
    fn sends<const N: usize>(&self, act: &str, more: [(&'static str, String); N]) -> Sent {
        let own = [
            ("tenant", self.page.tenant.slug.to_string()),
            ("user", self.page.user_id.to_string()),
            ("act", act.to_owned()),
        ];
        own.into_iter().chain(more).collect()
    }
}

#[component]
fn Shown(page: TenantPage, params: Memo<Params>, action: ServerAction<ManageTenant>) -> impl IntoView {
    let words = text();
    let text = &words.tenant;
    let (name, slug, role) = (page.tenant.name.to_string(), page.tenant.slug.clone(), page.tenant.role);
    let role = role.map(words.word.tenant_role).unwrap_or_default();
    let meta = format!("{slug} · {role}");
    let present = match page.sheet {
        TenantSheet::Workspaces(..) => "workspaces",
        TenantSheet::Members(_) => "members",
        TenantSheet::Ceilings(_) => "ceilings",
        TenantSheet::Audit(..) => "audit",
        TenantSheet::Usage(..) => "usage",
    };
    let tab = |(section, needs): &(&'static str, &str)| {
        let tab = Tab {
            label: (text.section)(section),
            href: tenant(&slug, section),
            current: *section == present,
            count: None,
        };
        page.permissions.allow(needs).then_some(tab)
    };
    let tabs: Vec<Tab> = TENANT_SECTIONS.iter().filter_map(tab).collect();
    let sheet = page.sheet.clone();
    let here = Here { page, params, action };
    let body = match sheet {
        TenantSheet::Workspaces(list, own) => workspaces::view(here, list, own),
        TenantSheet::Members(list) => members::view(here, list),
        TenantSheet::Ceilings(ceilings) => ceilings::view(here, ceilings),
        TenantSheet::Audit(page, names) => audit::view(here, page, names),
        TenantSheet::Usage(usage, names) => usage::view(usage, names),
    };
    view! {
        <Page>
            <PageHead title=name meta=Some(meta.into_any()) />
            <Tabs label=text.title tabs=tabs />
            {body}
        </Page>
    }
    .into_any()
}
