//! `/billing/budgets`: what may be spent, and how much of it is.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::budget::{Budget, BudgetHold, BudgetState, CreateBudget, UpdateBudget};
use types::id::BudgetId;
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_budgets, create_budget))
        .routes(routes!(list_budget_statuses))
        .routes(routes!(find_budget, update_budget, delete_budget))
        .routes(routes!(find_budget_status))
        .routes(routes!(list_budget_holds))
}

/// The workspace's budgets, oldest first.
#[utoipa::path(
    get, path = "/billing/budgets", tag = "billing",
    params(PageQuery), responses((status = 200, description = "The budgets", body = Page<Budget>)),
)]
async fn list_budgets(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Budget>>> {
    Ok(Json(page(app.budgets.list_budgets(&ctx).await?, Order::OldestFirst, &query)?))
}

/// Makes a budget. It has counted what its period spent before it existed.
#[utoipa::path(
    post, path = "/billing/budgets", tag = "billing", request_body = CreateBudget,
    responses((status = 201, description = "The budget", body = Budget)),
)]
async fn create_budget(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateBudget>,
) -> Result<Tagged<Budget>> {
    let budget = app.budgets.create_budget(&ctx, command).await?;
    let version = budget.version;
    Ok(Tagged::created(budget, version))
}

/// Where every budget of the workspace stands.
#[utoipa::path(
    get, path = "/billing/budgets/statuses", tag = "billing",
    responses((status = 200, description = "Where they stand", body = Page<BudgetState>)),
)]
async fn list_budget_statuses(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
) -> Result<Json<Page<BudgetState>>> {
    Ok(Json(app.budgets.list_states(&ctx).await?.into()))
}

/// One budget.
#[utoipa::path(
    get, path = "/billing/budgets/{id}", tag = "billing", params(("id" = BudgetId, Path)),
    responses((status = 200, description = "The budget", body = Budget)),
)]
async fn find_budget(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<BudgetId>,
) -> Result<Tagged<Budget>> {
    let budget = app.budgets.find_budget(&ctx, id).await?;
    let version = budget.version;
    Ok(Tagged::new(budget, version))
}

/// Changes a budget; absent members stay. It binds from the next call on. Needs `If-Match`.
#[utoipa::path(
    patch, path = "/billing/budgets/{id}", tag = "billing", request_body = UpdateBudget,
    params(("id" = BudgetId, Path), ("If-Match" = String, Header, description = "The `ETag` that was read")),
    responses((status = 200, description = "The budget as it is now", body = Budget)),
)]
async fn update_budget(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<BudgetId>,
    if_match: IfMatch,
    Json(command): Json<UpdateBudget>,
) -> Result<Tagged<Budget>> {
    let budget = app.budgets.update_budget(&ctx, id, if_match.version(), command).await?;
    let version = budget.version;
    Ok(Tagged::new(budget, version))
}

/// Deletes a budget. What was counted stays.
#[utoipa::path(
    delete, path = "/billing/budgets/{id}", tag = "billing", params(("id" = BudgetId, Path)),
    responses((status = 204, description = "It is gone")),
)]
async fn delete_budget(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<BudgetId>,
) -> Result<StatusCode> {
    app.budgets.delete_budget(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Where one budget stands in its present period.
#[utoipa::path(
    get, path = "/billing/budgets/{id}/status", tag = "billing", params(("id" = BudgetId, Path)),
    responses((status = 200, description = "Where it stands", body = BudgetState)),
)]
async fn find_budget_status(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<BudgetId>,
) -> Result<Json<BudgetState>> {
    Ok(Json(app.budgets.find_state(&ctx, id).await?))
}

/// What running calls hold of a budget, oldest first.
#[utoipa::path(
    get, path = "/billing/budgets/{id}/holds", tag = "billing", params(("id" = BudgetId, Path)),
    responses((status = 200, description = "The holds", body = Page<BudgetHold>)),
)]
async fn list_budget_holds(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<BudgetId>,
) -> Result<Json<Page<BudgetHold>>> {
    Ok(Json(app.budgets.list_holds(&ctx, id).await?.into()))
}
