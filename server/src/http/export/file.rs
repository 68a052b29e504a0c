//! The file itself.

use axum::BoxError;
use axum::body::Bytes;
use axum::http::HeaderName;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::response::{IntoResponse, Response};
use futures::stream::{StreamExt, TryStreamExt, once, try_unfold};
use kernel::export::{SCHEMA_VERSION, fields};
use kernel::observe::Export;
use serde::Serialize;

use super::cell::row;
use super::{Encoding, Format};

/// Says which schema the file follows.
const LEDGER_SCHEMA: HeaderName = HeaderName::from_static("x-soit-ledger-schema");
/// Tells spreadsheets that the text is UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A line of the JSON form.
#[derive(Serialize)]
struct Line<'a, T> {
    schema_version: &'static str,
    record_type: &'static str,
    record: &'a T,
}

/// The file. Where reading fails in the middle, the answer is cut, so that nobody takes it for whole.
pub(in crate::http) fn answer(export: Export, format: Format, encoding: Encoding, name: &str) -> Response {
    let Export { record_type, records, mut journal } = export;
    let fields = fields(record_type);
    let (kind, ending, head) = match format {
        Format::Csv => {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            ("text/csv; charset=utf-8", "csv", format!("{BYTE_ORDER_MARK}{}\r\n", names.join(",")))
        }
        Format::Jsonl => ("application/jsonl", "jsonl", String::new()),
    };
    journal.note(head.as_bytes(), 0);
    let lines = try_unfold(Some((records, journal)), move |state| async move {
        let Some((mut records, mut journal)) = state else { return Ok::<_, BoxError>(None) };
        let Some(record) = records.next().await.transpose()? else {
            let receipt = journal.finish().await?;
            return match format {
                Format::Csv => Ok(None),
                Format::Jsonl => Ok(Some((Bytes::from(line("trailer", &receipt)?), None))),
            };
        };
        let line = match format {
            Format::Csv => row(fields, &record)?,
            Format::Jsonl => line(record_type.one(), &record)?,
        };
        journal.note(line.as_bytes(), 1);
        Ok(Some((Bytes::from(line), Some((records, journal)))))
    });
    let lines = lines.inspect_err(|error| tracing::error!(%error, "an export was cut"));
    let body = encoding.body(once(async { Ok(Bytes::from(head)) }).chain(lines));
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"soit-{name}.{ending}\"")),
        (LEDGER_SCHEMA, SCHEMA_VERSION.to_owned()),
        (VARY, ACCEPT_ENCODING.to_string()),
    ];
    let mut response = (headers, body).into_response();
    if let Some(name) = encoding.name() {
        response.headers_mut().insert(CONTENT_ENCODING, name);
    }
    response
}

fn line<T: Serialize>(record_type: &'static str, record: &T) -> serde_json::Result<String> {
    serde_json::to_string(&Line { schema_version: SCHEMA_VERSION, record_type, record }).map(|line| line + "\n")
}
