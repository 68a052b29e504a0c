//! `/runs/{id}/stream` and `/stream`: what happens, as it happens.

use std::collections::BTreeSet;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use types::id::RunId;
use types::observe::Topic;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::live;
use crate::http::socket::Upgrade;
use crate::http::sse::LastEventId;
use crate::http::{Authenticated, Error, Path, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(stream_run)).routes(routes!(stream_hints))
}

/// From where on.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Start {
    /// Offsets above this, default 0; `Last-Event-ID` wins.
    #[serde(default)]
    after: u64,
}

/// A run's events: first the stored ones, then each as it happens, none twice.
///
/// Stored events have their offset as `id` and no name. `delta` carries text that is not stored, `lagged` says that deltas
/// were lost, `end` that nothing comes any more, `closed` that the reader's rights are gone. Asked to upgrade to a
/// WebSocket, it sends one text frame `{id?, event, data}` for each, stored ones as `message`.
#[utoipa::path(
    get, path = "/runs/{id}/stream", tag = "observe",
    params(("id" = RunId, Path), Start, ("Last-Event-ID" = Option<String>, Header, description = "Where the reader left off")),
    responses((status = 200, description = "Server-sent events", content_type = "text/event-stream", body = String)),
)]
async fn stream_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
    Query(Start { after }): Query<Start>,
    LastEventId(last): LastEventId,
    upgrade: Upgrade,
) -> Result<Response> {
    let items = app.observe.stream_run(ctx, id, last.unwrap_or(after)).await?;
    Ok(live::respond(upgrade, live::run_events(items)))
}

/// About what.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Topics {
    /// Topics with commas between them, default all: `runs`, `tasks`, `budgets`.
    #[serde(default)]
    topics: String,
}

/// Hints for lists: `hint` says that a thing changed, `resync` that the reader had better load everything anew.
#[utoipa::path(
    get, path = "/stream", tag = "observe",
    params(Topics, ("Last-Event-ID" = Option<String>, Header, description = "Where the reader left off")),
    responses((status = 200, description = "Server-sent events", content_type = "text/event-stream", body = String)),
)]
async fn stream_hints(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(Topics { topics }): Query<Topics>,
    LastEventId(last): LastEventId,
    upgrade: Upgrade,
) -> Result<Response> {
    let words = topics.split(',').filter(|word| !word.is_empty()).map(str::parse);
    let topics: BTreeSet<Topic> = words.collect::<std::result::Result<_, _>>().map_err(unknown_topic)?;
    let items = app.observe.stream_hints(ctx, topics, last.is_some())?;
    Ok(live::respond(upgrade, live::hints(items)))
}

fn unknown_topic(error: types::name::UnknownWord) -> Error {
    Error::invalid("topics", error.to_string())
}
