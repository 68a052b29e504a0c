//! `/audit`: who did what.

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use chrono::{DateTime, Utc};
use types::audit::{AuditEntry, AuditFilter, AuditQuery, Outcome};
use types::id::RunId;
use types::page::{Page, PageQuery};
use types::run::CallerKind;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::run_filter::{read, terms};
use crate::compose::App;
use crate::http::{Authenticated, Error, Json, Path, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_audit)).routes(routes!(find_audit)).routes(routes!(list_run_audit))
}

/// Which audit rows, as the document describes it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query; `AuditSearch` reads it, because filters repeat")]
pub(super) struct AuditParameters {
    /// 1–200, default 50.
    limit: Option<u32>,
    /// `next_cursor` of the page before, with the same filters.
    cursor: Option<String>,
    /// What kind of caller did it.
    #[param(schema_with = terms::<CallerKind>)]
    actor_kind: Option<Vec<CallerKind>>,
    /// Who did it; a `!` before it leaves it out instead.
    actor_id: Option<Vec<String>>,
    /// What kind of thing it was done to; a `!` before it leaves it out instead.
    resource_type: Option<Vec<String>>,
    /// What it was done to; a `!` before it leaves it out instead.
    resource_id: Option<Vec<String>>,
    /// `resource.action` of the permission matrix; a `!` before it leaves it out instead.
    operation: Option<Vec<String>>,
    /// What happened, like `key.created`; a `!` before it leaves it out instead.
    event_type: Option<Vec<String>>,
    /// What it came to.
    #[param(schema_with = terms::<Outcome>)]
    outcome: Option<Vec<Outcome>>,
    /// The client's address; a `!` before it leaves it out instead.
    address: Option<Vec<String>>,
    /// The run it belongs to.
    run_id: Option<Vec<RunId>>,
    /// At or after.
    since: Option<DateTime<Utc>>,
    /// Before.
    until: Option<DateTime<Utc>>,
}

/// What a reader asks of the audit.
#[derive(Debug)]
pub(super) struct AuditSearch(pub(super) AuditQuery);

impl<S: Send + Sync> FromRequestParts<S> for AuditSearch {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        let mut query = AuditQuery::default();
        for (name, value) in &pairs {
            match name.as_str() {
                "limit" => query.limit = read(name, value)?,
                "cursor" => query.cursor = Some(value.clone()),
                _ => take_filter(&mut query.filter, name, value)?,
            }
        }
        Ok(Self(query))
    }
}

fn take_filter(filter: &mut AuditFilter, name: &str, value: &str) -> Result<()> {
    match name {
        "actor_kind" => filter.actor_kind.push(read(name, value)?),
        "actor_id" => filter.actor_id.push(read(name, value)?),
        "resource_type" => filter.resource_type.push(read(name, value)?),
        "resource_id" => filter.resource_id.push(read(name, value)?),
        "operation" => filter.operation.push(read(name, value)?),
        "event_type" => filter.event_type.push(read(name, value)?),
        "outcome" => filter.outcome.push(read(name, value)?),
        "address" => filter.address.push(read(name, value)?),
        "run_id" => filter.run_id.push(read(name, value)?),
        "since" => filter.since = Some(read(name, value)?),
        "until" => filter.until = Some(read(name, value)?),
        _ => return Err(Error::invalid(name, "is no filter of the audit, see /api/v1/openapi.json")),
    }
    Ok(())
}

/// The workspace's audit, newest first; without the right to all of it, what one did oneself. A filter given several times
/// means any of its values, different filters mean all of them; `!` before a value of a filter that takes it means all but
/// that value.
#[utoipa::path(
    get, path = "/audit", tag = "observe", params(AuditParameters),
    responses((status = 200, description = "One page of audit rows", body = Page<AuditEntry>)),
)]
async fn list_audit(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    AuditSearch(query): AuditSearch,
) -> Result<Json<Page<AuditEntry>>> {
    Ok(Json(app.observe.list_audit(&ctx, &query).await?))
}

/// One audit row, by its number.
#[utoipa::path(
    get, path = "/audit/{seq}", tag = "observe", params(("seq" = u64, Path, description = "Its number")),
    responses((status = 200, description = "The row", body = AuditEntry)),
)]
async fn find_audit(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(seq): Path<u64>,
) -> Result<Json<AuditEntry>> {
    Ok(Json(app.observe.find_audit(&ctx, seq).await?))
}

/// The audit rows that belong to a run, newest first.
#[utoipa::path(
    get, path = "/runs/{id}/audit", tag = "observe", params(("id" = RunId, Path), PageQuery),
    responses((status = 200, description = "One page of audit rows", body = Page<AuditEntry>)),
)]
async fn list_run_audit(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<AuditEntry>>> {
    Ok(Json(app.observe.list_run_audit(&ctx, id, &page).await?))
}
