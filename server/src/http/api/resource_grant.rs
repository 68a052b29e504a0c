//! Grants, and why somebody may do something or may not.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::identity::Question;
use kernel::page::{Order, page};
use serde::Deserialize;
use types::access::{CreateGrant, Explanation, Grant, ResourceType};
use types::id::GrantId;
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Json, Path, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_resource_grants, create_resource_grant))
        .routes(routes!(find_resource_grant, revoke_resource_grant))
        .routes(routes!(explain_access))
}

/// The grants one may see, newest first: all of them, or those one gave and those that reach one.
#[utoipa::path(get, path = "/resource-grants", tag = "identity", params(PageQuery),
    responses((status = 200, description = "The grants", body = Page<Grant>)))]
async fn list_resource_grants(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Grant>>> {
    Ok(Json(page(app.identity.list_grants(&ctx).await?, Order::NewestFirst, &query)?))
}

/// Grants something on one thing. Nobody grants what they may not do themselves.
#[utoipa::path(post, path = "/resource-grants", tag = "identity", request_body = CreateGrant,
    responses((status = 201, description = "The grant", body = Grant)))]
async fn create_resource_grant(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateGrant>,
) -> Result<(StatusCode, Json<Grant>)> {
    Ok((StatusCode::CREATED, Json(app.identity.create_grant(&ctx, &command).await?)))
}

/// One grant.
#[utoipa::path(get, path = "/resource-grants/{id}", tag = "identity",
    params(("id" = GrantId, Path, description = "The grant")),
    responses((status = 200, description = "The grant", body = Grant)))]
async fn find_resource_grant(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<GrantId>,
) -> Result<Json<Grant>> {
    Ok(Json(app.identity.find_grant(&ctx, id).await?))
}

/// Takes a grant back.
#[utoipa::path(delete, path = "/resource-grants/{id}", tag = "identity",
    params(("id" = GrantId, Path, description = "The grant")),
    responses((status = 204, description = "Taken back: nothing starts by it any more")))]
async fn revoke_resource_grant(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<GrantId>,
) -> Result<StatusCode> {
    app.identity.revoke_grant(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What is to be explained.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ExplainQuery {
    /// Who: `usr_…`, `spn_…` or `key_…`.
    subject: String,
    /// What: `model.call`.
    action: String,
    /// With what kind of thing.
    resource_type: Option<ResourceType>,
    /// With which one.
    resource_id: Option<String>,
}

/// Why somebody may do something, or may not: every rule that is looked at, in order. Of others, for owners and admins.
#[utoipa::path(get, path = "/access/explain", tag = "identity", params(ExplainQuery),
    responses((status = 200, description = "The rules, and which one decides", body = Explanation)))]
async fn explain_access(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<ExplainQuery>,
) -> Result<Json<Explanation>> {
    let asked = Question {
        subject: &query.subject,
        action: &query.action,
        resource_type: query.resource_type,
        resource_id: query.resource_id.as_deref(),
    };
    Ok(Json(app.identity.explain_access(&ctx, &asked).await?))
}
