//! `/exports`: what is recorded, as files.

use std::str::FromStr;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::{DateTime, Utc};
use kernel::export::schema;
use kernel::observe::Window;
use kernel::port::Records;
use serde::Deserialize;
use serde_json::Value;
use types::export::RecordType;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::run_filter::{ExportParameters, RunExport, RunFilters};
use crate::compose::App;
use crate::http::export::{Encoding, Format, answer};
use crate::http::{Authenticated, Error, Json, Path, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(export_runs))
        .routes(routes!(export_records))
        .routes(routes!(find_export_schema))
}

/// Every run that matches, oldest first, as a file that is streamed. Each export is recorded in the audit, whole or cut.
/// `Accept-Encoding: zstd` or `gzip` compresses it; the digest is always that of the plain lines.
#[utoipa::path(
    get, path = "/exports/runs", tag = "observe", params(ExportParameters, RunFilters),
    responses((
        status = 200, content_type = "application/jsonl", body = String,
        description = "`{schema_version, record_type, record}` a line; the last, a `trailer`, counts the runs and holds the SHA-256 of all lines before",
    )),
)]
async fn export_runs(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    headers: HeaderMap,
    RunExport { filter, after, format }: RunExport,
) -> Result<Response> {
    let export = app.observe.export_runs_on(&ctx, filter, after).await?;
    Ok(answer(export, format, Encoding::of(&headers), "runs"))
}

/// Which records.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct RecordWindow {
    /// `csv` or `jsonl`, default `jsonl`.
    format: Option<String>,
    /// Written at or after, by the database's clock.
    since: Option<DateTime<Utc>>,
    /// Written before: 10 seconds ago, which is the default, or earlier.
    until: Option<DateTime<Utc>>,
    /// The last record there is already: the file goes on behind it. Its id; of `run_events`, `{run_id}.{offset}`.
    after: Option<String>,
}

impl RecordWindow {
    /// In which form, and which ones.
    pub(super) fn read(self) -> Result<(Format, Window)> {
        let Self { format, since, until, after } = self;
        let format = format.as_deref().map_or(Ok(Format::Jsonl), Format::from_str);
        Ok((format.map_err(|error| Error::invalid("format", error))?, Window { since, until, after }))
    }
}

/// Every record of a kind, oldest first, as a file that is streamed: `steps`, `costs`, `tasks`, `audit`, `events`,
/// `run_events` or `artifacts` (what they are, by their hashes; not their bytes).
/// Each export is recorded in the audit, whole or cut. `Accept-Encoding: zstd` or `gzip` compresses it; the digest is always
/// that of the plain lines.
#[utoipa::path(
    get, path = "/exports/{record_type}", tag = "observe",
    params(("record_type" = RecordType, Path, description = "Which kind"), RecordWindow),
    responses((
        status = 200, content_type = "application/jsonl", body = String,
        description = "`{schema_version, record_type, record}` a line; the last, a `trailer`, counts the records and holds the SHA-256 of all lines before",
    )),
)]
async fn export_records(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    headers: HeaderMap,
    Path(record_type): Path<String>,
    Query(asked): Query<RecordWindow>,
) -> Result<Response> {
    let records = read_kind(&record_type)?;
    let (format, window) = asked.read()?;
    let export = app.observe.export_records_on(&ctx, records, window).await?;
    Ok(answer(export, format, Encoding::of(&headers), &record_type))
}

/// The schema of every line of an export, as JSON Schema; `schema_version` is what `X-SOIT-Ledger-Schema` says.
#[utoipa::path(
    get, path = "/exports/schema", tag = "observe",
    responses((status = 200, description = "A JSON Schema", body = Object)),
)]
async fn find_export_schema(Authenticated(ctx): Authenticated) -> Result<Json<Value>> {
    kernel::policy::guard::authorize(&ctx, "run.read")?;
    Ok(Json(schema()))
}

/// Runs have a route of their own, which takes the filters of their list.
fn read_kind(word: &str) -> Result<Records> {
    match word.parse() {
        Ok(RecordType::Steps) => Ok(Records::Steps),
        Ok(RecordType::Costs) => Ok(Records::Costs),
        Ok(RecordType::Tasks) => Ok(Records::Tasks),
        Ok(RecordType::Audit) => Ok(Records::Audit(Default::default())),
        Ok(RecordType::Events) => Ok(Records::Events(Default::default())),
        Ok(RecordType::RunEvents) => Ok(Records::RunEvents),
        Ok(RecordType::Artifacts) => Ok(Records::Artifacts),
        Ok(RecordType::Runs) => Err(kernel::Error::not_found().into()),
        Err(error) => Err(Error::invalid("record_type", format!("{error}"))),
    }
}
