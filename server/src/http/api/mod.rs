//! `/api/v1`: management and reading, in JSON. One file a resource, one line here for each.
//!
//! A route and its description are one declaration (`#[utoipa::path]` and `routes!`), so the document at `openapi.json`
//! holds every route there is. Start at [`routes`].

mod account;
mod api_key;
mod audit;
mod budget;
mod chain;
mod compare;
mod egress;
mod evidence;
mod export;
mod feedback;
mod group;
mod invitation;
mod legal_hold;
mod login;
mod me;
mod member;
mod mfa;
mod model;
mod openapi;
mod operator;
mod outbox;
mod price;
mod provider;
mod query;
mod replay;
mod resource_grant;
mod retention;
mod run;
mod run_filter;
mod search;
mod service_principal;
mod sso;
mod stream;
mod task;
mod tenant;
mod tenant_member;
mod test_provider;
mod trace;
mod usage;
mod view;
mod workspace;

use axum::Router;
use axum::middleware::from_fn_with_state;
use utoipa_axum::router::OpenApiRouter;

use crate::compose::App;

/// The door, the document of itself included.
pub(super) fn router() -> Router<App> {
    let (router, document) = routes().split_for_parts();
    let declared = from_fn_with_state(query::Declared::of(&document), query::check);
    router.layer(declared).merge(openapi::router(&openapi::finish(document)))
}

/// Every route of the door with its description.
fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::frame())
        .merge(login::routes())
        .merge(me::routes())
        .merge(mfa::routes())
        .merge(account::routes())
        .merge(view::routes())
        .merge(api_key::routes())
        .merge(tenant::routes())
        .merge(tenant_member::routes())
        .merge(operator::routes())
        .merge(workspace::routes())
        .merge(member::routes())
        .merge(invitation::routes())
        .merge(service_principal::routes())
        .merge(group::routes())
        .merge(resource_grant::routes())
        .merge(sso::routes())
        .merge(provider::routes())
        .merge(model::routes())
        .merge(price::routes())
        .merge(budget::routes())
        .merge(egress::routes())
        .merge(retention::routes())
        .merge(legal_hold::routes())
        .merge(run::routes())
        .merge(chain::routes())
        .merge(evidence::routes())
        .merge(compare::routes())
        .merge(feedback::routes())
        .merge(replay::routes())
        .merge(trace::routes())
        .merge(export::routes())
        .merge(usage::routes())
        .merge(audit::routes())
        .merge(outbox::routes())
        .merge(task::routes())
        .merge(stream::routes())
        .merge(search::routes())
        .merge(test_provider::routes())
}
