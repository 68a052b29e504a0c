//! `/operator/{section}`: every tenant and account, and how the process does, for who runs the instance. Nothing of what is in a
//! tenant.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::identity::UserStatus;
use types::page::Page as Rows;
use types::tenant::{AccountView, DiagnosticCheck, Diagnostics, Tenant, TenantStatus};

use crate::backend::tenants::OperatorSheet;
use crate::component::{
    Bare, ButtonForm, Disclosure, Form, FormActions, FormState, FormSummary, Look, Page, PageHead, Pager, Sent,
    StateMark, Tab, Tabs, TextField, awaited, changes, counted, params, provide_toasts, sheet, told_action,
};
use crate::function::{Operate, find_operator_page};
use crate::query::Params;
use crate::resource::resource;
use crate::route::{OPERATOR_SECTIONS, operator};
use crate::text::text;

/// A page of who runs the instance.
#[component]
pub(crate) fn Operator() -> impl IntoView {
    provide_toasts();
    let (map, params) = (use_params_map(), params());
    let action = told_action::<Operate>(text().common.saved);
    let version = changes(action);
    let page = resource(
        move || {
            let section = map.with(|map| map.get("section")).unwrap_or_default();
            let given = |name: &str| params.with(|params| params.get(name).map(str::to_owned));
            (section, given("q"), given("after"), version.get())
        },
        |(section, q, after, _)| find_operator_page(section, q, after),
    );
    let shown = move |page: OperatorSheet| view! { <Shown sheet=page params=params action=action /> }.into_any();
    view! { <Bare>{awaited(move || async move { page.await }, shown)}</Bare> }.into_any()
}

#[component]
fn Shown(sheet: OperatorSheet, params: Memo<Params>, action: ServerAction<Operate>) -> impl IntoView {
    let text = &text().tenant;
    let present = match sheet {
        OperatorSheet::Tenants(_) => "tenants",
        OperatorSheet::Users(_) => "users",
        OperatorSheet::Diagnostics(_) => "diagnostics",
    };
    let tab = |section: &&'static str| Tab {
        label: (text.section)(section),
        href: operator(section),
        current: *section == present,
        count: None,
    };
    let tabs: Vec<Tab> = OPERATOR_SECTIONS.iter().map(tab).collect();
    let params = params.get_untracked();
    let body = match sheet {
        OperatorSheet::Tenants(page) => tenants(page, params, action),
        OperatorSheet::Users(page) => users(page, params, action),
        OperatorSheet::Diagnostics(found) => diagnostics(found),
    };
    view! {
        <Page>
            <PageHead title=text.operator />
            <Tabs label=text.operator tabs=tabs />
            {body}
        </Page>
    }
    .into_any()
}

fn sends(act: &str, id: impl ToString) -> Sent {
    vec![("act", act.to_owned()), ("id", id.to_string())]
}

fn tenants(page: Rows<Tenant>, params: Params, action: ServerAction<Operate>) -> AnyView {
    let text = text();
    let row = |tenant: &Tenant| {
        let (state, label, act, button) = match tenant.status {
            TenantStatus::Active => ("succeeded", text.tenant.active, "suspend", text.tenant.suspend),
            TenantStatus::Suspended => ("canceled", text.tenant.suspended, "activate", text.tenant.activate),
        };
        vec![
            tenant.name.to_string().into_any(),
            view! { <code class="id">{tenant.slug.to_string()}</code> }.into_any(),
            view! { <StateMark state=state label=label /> }.into_any(),
            view! { <ButtonForm action=action sends=sends(act, tenant.id) label=button look=Look::Small /> }.into_any(),
        ]
    };
    let heads = vec![text.common.name, text.settings.slug, text.common.status, text.common.edit];
    let rows = page.items.iter().map(row).collect();
    view! {
        <Disclosure label=text.tenant.new_tenant open=FormState::of(action).was_refused()>
            <Form action=action sends=vec![("act", "create_tenant".to_owned())]>
                <TextField field="name" label=text.common.name />
                <TextField field="slug" label=text.settings.slug hint=text.tenant.slug_hint mono=true />
                <TextField field="owner_email" label=text.tenant.owner_email hint=text.tenant.owner_hint />
                <FormActions label=text.tenant.create />
            </Form>
        </Disclosure>
        {sheet((text.tenant.section)("tenants"), heads, rows)}
        {pager(page.items.len(), page.next_cursor, params)}
    }
    .into_any()
}

fn users(page: Rows<AccountView>, params: Params, action: ServerAction<Operate>) -> AnyView {
    let text = text();
    let row = |account: &AccountView| {
        let (act, button) = match account.status {
            UserStatus::Active | UserStatus::Closing => ("disable", Some(text.common.disable)),
            UserStatus::Disabled => ("enable", Some(text.common.enable)),
            UserStatus::Closed => ("", None),
        };
        let button = button.map(
            |label| view! { <ButtonForm action=action sends=sends(act, account.id) label=label look=Look::Small /> },
        );
        vec![
            view! { {account.name.to_string()} <span class="cell-sub">{account.email.clone()}</span> }.into_any(),
            (text.word.user_status)(account.status).into_any(),
            account.is_operator.then_some(text.tenant.operator).into_any(),
            button.into_any(),
        ]
    };
    let heads = vec![text.common.name, text.common.status, text.access.role, text.common.edit];
    let rows = page.items.iter().map(row).collect();
    let q = params.get("q").unwrap_or_default().to_owned();
    view! {
        <FormSummary form=FormState::of(action) />
        <form class="row" role="search" method="get">
            <input
                class="input"
                type="search"
                name="q"
                maxlength="200"
                value=q
                aria-label=text.tenant.find_address
                placeholder=text.tenant.find_address
            />
        </form>
        {sheet((text.tenant.section)("users"), heads, rows)}
        {pager(page.items.len(), page.next_cursor, params)}
    }
    .into_any()
}

fn diagnostics(found: Diagnostics) -> AnyView {
    let text = text();
    let row = |check: DiagnosticCheck| {
        let (state, label) = match (check.ok, check.required) {
            (true, _) => ("succeeded", 0),
            (false, false) => ("in_doubt", 1),
            (false, true) => ("failed", 2),
        };
        let label = text.shell.health.get(label).copied().unwrap_or_default();
        vec![
            view! { <code class="id">{check.name}</code> }.into_any(),
            view! { <StateMark state=state label=label /> }.into_any(),
            check.detail.map(|detail| view! { <code>{detail}</code> }).into_any(),
        ]
    };
    let heads = vec![text.tenant.check, text.common.status, text.tenant.detail];
    view! {
        <dl class="dl">
            <dt>{text.tenant.version}</dt>
            <dd>
                <code>{found.version}</code>
            </dd>
        </dl>
        {sheet((text.tenant.section)("diagnostics"), heads, found.checks.into_iter().map(row).collect())}
    }
    .into_any()
}

fn pager(shown: usize, next: Option<String>, params: Params) -> Option<impl IntoView> {
    let first = params.get("after").is_some().then(|| params.clone().without(&["after"]).here());
    let next = next.map(|cursor| params.with("after", &cursor).here());
    (first.is_some() || next.is_some()).then(|| view! { <Pager info=counted(shown) newest=first older=next /> })
}
