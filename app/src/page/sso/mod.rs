//! `/t/{tenant}/sso`: the connections of a tenant to identity providers. Which form is open stands in the address.

mod connection;
mod fields;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::identity::Role;
use types::name::Slug;
use types::problem::{Code, Problem};
use types::sso::OidcConnection;

use crate::component::{
    Bare, Empty, Failure, Form, FormActions, Icon, PageHead, StepUpForm, Tab, Tabs, changes, params, provide_toasts,
};
use crate::error::AppError;
use crate::form::SsoForm;
use crate::function::{CreateSsoConnection, DeleteSsoConnection, UpdateSsoConnection, list_sso_connections};
use crate::query::Params;
use crate::resource::resource;
use crate::route;
use crate::text::text;

use connection::Connection;
use fields::Fields;

/// What the forms of the page do.
#[derive(Clone, Copy)]
struct Actions {
    created: ServerAction<CreateSsoConnection>,
    updated: ServerAction<UpdateSsoConnection>,
    deleted: ServerAction<DeleteSsoConnection>,
}

/// The connections of a tenant.
#[component]
pub(crate) fn TenantSso() -> impl IntoView {
    let path = use_params_map();
    let tenant = Memo::new(move |_| path.with(|path| path.get("tenant")).unwrap_or_default());
    let actions = Actions { created: ServerAction::new(), updated: ServerAction::new(), deleted: ServerAction::new() };
    let moved = (changes(actions.created), changes(actions.updated), changes(actions.deleted));
    let list = resource(
        move || (tenant.get(), moved.0.get(), moved.1.get(), moved.2.get()),
        |(tenant, ..)| async move {
            match tenant.parse::<Slug>() {
                Ok(tenant) => list_sso_connections(tenant).await,
                Err(_) => Err(AppError::from(Problem::new(Code::NotFound, "no tenant has such a name"))),
            }
        },
    );
    let words = text();
    let tabs = move || {
        let of = tenant.get_untracked().parse::<Slug>().ok()?;
        let tab = |(section, _): &(&'static str, &str)| Tab {
            label: (words.tenant.section)(section),
            href: route::tenant(&of, section),
            current: *section == "sso",
            count: None,
        };
        let tabs: Vec<Tab> = route::TENANT_SECTIONS.iter().map(tab).collect();
        Some(view! { <Tabs label=words.tenant.title tabs=tabs /> })
    };
    provide_toasts();
    view! {
        <Bare>
            <div class="page page--narrow" data-testid="sso">
                <PageHead title=words.sso.title />
                {tabs()}
                <Suspense>
                    {move || Suspend::new(async move {
                        match list.await {
                            Ok(list) => view! { <Shown tenant=tenant.get_untracked() list=list actions=actions /> }.into_any(),
                            Err(error) if error.problem.code == Code::StepUpRequired => {
                                view! { <Proof by_provider=error.problem.reason.is_some() /> }.into_any()
                            }
                            Err(error) => view! { <Failure error=error whole=true /> }.into_any(),
                        }
                    })}
                </Suspense>
            </div>
        </Bare>
    }
    .into_any()
}

/// The page shows nothing before it is proved who reads it: here by the password or the provider, elsewhere by a code.
#[component]
fn Proof(by_provider: bool) -> impl IntoView {
    let text = text();
    let by_code = Params::default().with("next", &params().get_untracked().here()).at(route::SECOND_FACTOR);
    view! {
        <StepUpForm by_provider=by_provider />
        <div class="row">
            <a class="btn" href="" rel="external">
                {text.sso.go_on}
            </a>
            <a class="link" href=by_code rel="external">
                {text.second_factor.title}
            </a>
        </div>
    }
    .into_any()
}

#[component]
fn Shown(tenant: String, list: Vec<OidcConnection>, actions: Actions) -> impl IntoView {
    let (sso, params) = (&text().sso, params());
    let is_empty = list.is_empty();
    let told = StoredValue::new(tenant.clone());
    let open = move || params.with(|params| params.get("new").is_some());
    let new = params.get_untracked().without(&["edit"]).with("new", "1").here();
    let form = move || match open() {
        true => {
            let of = SsoForm { jit_role: Role::Viewer.to_string(), ..SsoForm::default() };
            let back = params.get_untracked().without(&["new"]).here();
            view! {
                <Form action=actions.created sends=vec![("tenant", told.get_value())]>
                    <Fields of=of />
                    <FormActions label=sso.create back=back />
                </Form>
            }
            .into_any()
        }
        false => view! {
            <a class="btn" href=new.clone() data-noscroll="" data-testid="new-sso">
                {sso.create}
            </a>
        }
        .into_any(),
    };
    let item = move |connection| view! { <Connection tenant=tenant.clone() connection=connection actions=actions /> };
    view! {
        {is_empty.then(|| view! { <Empty icon=Icon::Access title=sso.none text=sso.none_text /> })}
        {list.into_iter().map(item).collect_view()}
        {form}
    }
    .into_any()
}
