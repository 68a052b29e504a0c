//! `/events` and `/observe`: outbox events, what was given up, and how far consumers are behind.

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use types::id::RunId;
use types::outbox::{
    ConsumerLag, DeadLetter, DeadLetterFilter, DeadLetterKind, DeadLetterQuery, DiscardDeadLetter, EventQuery,
    OutboxEvent, RedriveDeadLetters, RedrivenLetter,
};
use types::page::Page;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::run_filter::read;
use crate::compose::App;
use crate::http::{Authenticated, Error, Json, Path, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_events))
        .routes(routes!(list_lags))
        .routes(routes!(list_dead_letters))
        .routes(routes!(redrive_dead_letters))
        .routes(routes!(redrive_dead_letter))
        .routes(routes!(discard_dead_letter))
}

/// Which events, as the document describes it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query; `EventSearch` reads it, because filters repeat")]
struct EventParameters {
    /// 1–200, default 50.
    limit: Option<u32>,
    /// `next_cursor` of the page before, with the same filters.
    cursor: Option<String>,
    /// What happened, like `run.finished`; a `!` before it leaves it out instead.
    event_type: Option<Vec<String>>,
    /// What it is about, as an id; a `!` before it leaves it out instead.
    subject: Option<Vec<String>>,
    /// The run it belongs to.
    run_id: Option<Vec<RunId>>,
    /// At or after.
    since: Option<DateTime<Utc>>,
    /// Before.
    until: Option<DateTime<Utc>>,
}

/// What a reader asks of the events.
#[derive(Debug)]
struct EventSearch(EventQuery);

impl<S: Send + Sync> FromRequestParts<S> for EventSearch {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        let mut query = EventQuery::default();
        for (name, value) in &pairs {
            match name.as_str() {
                "limit" => query.limit = read(name, value)?,
                "cursor" => query.cursor = Some(value.clone()),
                "event_type" => query.filter.event_type.push(read(name, value)?),
                "subject" => query.filter.subject.push(read(name, value)?),
                "run_id" => query.filter.run_id.push(read(name, value)?),
                "since" => query.filter.since = Some(read(name, value)?),
                "until" => query.filter.until = Some(read(name, value)?),
                _ => return Err(Error::invalid(name, "is no filter of events, see /api/v1/openapi.json")),
            }
        }
        Ok(Self(query))
    }
}

/// The workspace's events of the last 90 days, newest first. A filter given several times means any of its values,
/// different filters mean all of them.
#[utoipa::path(
    get, path = "/events", tag = "observe", params(EventParameters),
    responses((status = 200, description = "One page of events", body = Page<OutboxEvent>)),
)]
async fn list_events(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    EventSearch(query): EventSearch,
) -> Result<Json<Page<OutboxEvent>>> {
    Ok(Json(app.observe.list_events(&ctx, &query).await?))
}

/// How far each consumer of events is behind in the workspace.
#[utoipa::path(
    get, path = "/observe/outbox", tag = "observe",
    responses((status = 200, description = "Every consumer", body = Page<ConsumerLag>)),
)]
async fn list_lags(State(app): State<App>, Authenticated(ctx): Authenticated) -> Result<Json<Page<ConsumerLag>>> {
    Ok(Json(app.observe.list_lags(&ctx).await?.into()))
}

/// Which dead letters.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct DeadLetters {
    /// What kind of work was given up; without it, any.
    kind: Option<DeadLetterKind>,
    /// Who was to do it.
    consumer: Option<String>,
    /// The name of the event it was about.
    #[serde(rename = "type")]
    #[param(rename = "type")]
    event_type: Option<String>,
    /// 1–200, default 50.
    limit: Option<u32>,
    /// `next_cursor` of the page before, with the same filters.
    cursor: Option<String>,
}

/// What was given up after its last attempt, last given up first.
#[utoipa::path(
    get, path = "/observe/dead-letters", tag = "observe", params(DeadLetters),
    responses((status = 200, description = "One page of dead letters", body = Page<DeadLetter>)),
)]
async fn list_dead_letters(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(DeadLetters { kind, consumer, event_type, limit, cursor }): Query<DeadLetters>,
) -> Result<Json<Page<DeadLetter>>> {
    let filter = DeadLetterFilter { kind, consumer, event_type };
    let query = DeadLetterQuery { filter, cursor, ..DeadLetterQuery::default() };
    let query = DeadLetterQuery { limit: limit.unwrap_or(query.limit), ..query };
    Ok(Json(app.observe.list_dead_letters(&ctx, &query).await?))
}

/// Has up to 1,000 of the dead letters that match tried again, and tells what became of each.
#[utoipa::path(
    post, path = "/observe/dead-letters/redrive", tag = "observe", request_body = RedriveDeadLetters,
    responses((status = 200, description = "Each of them", body = Page<RedrivenLetter>)),
)]
async fn redrive_dead_letters(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<RedriveDeadLetters>,
) -> Result<Json<Page<RedrivenLetter>>> {
    Ok(Json(app.observe.redrive_dead_letters(&ctx, command.filter).await?))
}

/// Has one dead letter tried again, before later ones of its subject that wait.
#[utoipa::path(
    post, path = "/observe/dead-letters/{kind}/{id}/redrive", tag = "observe",
    params(("kind" = DeadLetterKind, Path, description = "Its kind"), ("id" = String, Path, description = "Its id")),
    responses((status = 200, description = "What became of it", body = RedrivenLetter)),
)]
async fn redrive_dead_letter(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((kind, id)): Path<(DeadLetterKind, String)>,
) -> Result<Json<RedrivenLetter>> {
    Ok(Json(app.observe.redrive_dead_letter(&ctx, kind, &id).await?))
}

/// Lets one dead letter go: it is never tried again.
#[utoipa::path(
    post, path = "/observe/dead-letters/{kind}/{id}/discard", tag = "observe", request_body = DiscardDeadLetter,
    params(("kind" = DeadLetterKind, Path, description = "Its kind"), ("id" = String, Path, description = "Its id")),
    responses((status = 204, description = "It is over")),
)]
async fn discard_dead_letter(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((kind, id)): Path<(DeadLetterKind, String)>,
    Json(command): Json<DiscardDeadLetter>,
) -> Result<StatusCode> {
    app.observe.discard_dead_letter(&ctx, kind, &id, &command.reason).await?;
    Ok(StatusCode::NO_CONTENT)
}
