//! Runs as a file: one line a run, streamed, for spreadsheets or for programs. The same at `/api/v1` and in the console.

use std::str::FromStr;

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::http::HeaderName;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, SecondsFormat, Utc};
use futures::stream::{StreamExt, TryStreamExt, once, try_unfold};
use kernel::observe::Export;
use serde::Serialize;
use serde_json::Value;
use types::run::{Run, UsageClass};

/// Says which schema the file follows.
const LEDGER_SCHEMA: HeaderName = HeaderName::from_static("x-soit-ledger-schema");
/// The schema: a new optional field raises the second number, everything else the first.
const SCHEMA_VERSION: &str = "2.0";
/// Tells spreadsheets that the text is UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";
/// The columns of a spreadsheet, in order.
const COLUMNS: [&str; 20] = [
    "id",
    "status",
    "mode",
    "entry",
    "source",
    "model_ref",
    "caller_kind",
    "caller_id",
    "api_key_id",
    "started_at",
    "ended_at",
    "duration_ms",
    "input_tokens",
    "output_tokens",
    "cost",
    "unpriced",
    "estimated",
    "error_code",
    "trace_id",
    "labels",
];

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Columns, for spreadsheets.
    Csv,
    /// One JSON object a line: whole runs, as the API answers them, and a trailer by which a file is known to be whole.
    Jsonl,
}

impl FromStr for Format {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "csv" => Ok(Self::Csv),
            "jsonl" => Ok(Self::Jsonl),
            _ => Err("must be `csv` or `jsonl`"),
        }
    }
}

/// A line of the JSON form.
#[derive(Serialize)]
struct Line<'a, T> {
    schema_version: &'static str,
    record_type: &'static str,
    record: &'a T,
}

/// The file. Where reading fails in the middle, the answer is cut, so that nobody takes it for whole.
pub(super) fn answer(Export { runs, mut record }: Export, format: Format, name: &str) -> Response {
    let (kind, ending, head) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv", format!("{BYTE_ORDER_MARK}{}\r\n", COLUMNS.join(","))),
        Format::Jsonl => ("application/jsonl", "jsonl", String::new()),
    };
    record.note(head.as_bytes(), 0);
    let lines = try_unfold(Some((runs, record)), move |state| async move {
        let Some((mut runs, mut record)) = state else { return Ok::<_, BoxError>(None) };
        let Some(run) = runs.next().await.transpose()? else {
            let receipt = record.finish().await?;
            return match format {
                Format::Csv => Ok(None),
                Format::Jsonl => Ok(Some((Bytes::from(line("trailer", &receipt)?), None))),
            };
        };
        let line = match format {
            Format::Csv => row(&run)?,
            Format::Jsonl => line("run", &run)?,
        };
        record.note(line.as_bytes(), 1);
        Ok(Some((Bytes::from(line), Some((runs, record)))))
    });
    let lines = lines.inspect_err(|error| tracing::error!(%error, "an export was cut"));
    let body = Body::from_stream(once(async { Ok(Bytes::from(head)) }).chain(lines));
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"soit-{name}.{ending}\"")),
        (LEDGER_SCHEMA, SCHEMA_VERSION.to_owned()),
    ];
    (headers, body).into_response()
}

fn line<T: Serialize>(record_type: &'static str, record: &T) -> serde_json::Result<String> {
    serde_json::to_string(&Line { schema_version: SCHEMA_VERSION, record_type, record }).map(|line| line + "\n")
}

fn row(run: &Run) -> serde_json::Result<String> {
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Micros, true);
    let usage = |class: UsageClass| run.totals.usage.get(class).to_string();
    let cost: Vec<String> = run.totals.cost.iter().map(ToString::to_string).collect();
    let labels = if run.labels.is_empty() { String::new() } else { serde_json::to_string(&run.labels)? };
    let id = |id: Option<String>| id.unwrap_or_default();
    let cells = [
        run.id.to_string(),
        run.status.to_string(),
        run.mode.to_string(),
        run.entry.to_string(),
        run.source.to_string(),
        run.model_ref.clone().unwrap_or_default(),
        word(&serde_json::to_value(run.caller.kind)?),
        run.caller.id.clone(),
        id(run.api_key_id.map(|id| id.to_string())),
        time(run.started_at),
        run.ended_at.map(time).unwrap_or_default(),
        run.duration_ms.map(|length| length.to_string()).unwrap_or_default(),
        usage(UsageClass::Input),
        usage(UsageClass::Output),
        cost.join("; "),
        run.totals.unpriced.to_string(),
        run.totals.estimated.to_string(),
        run.error.as_ref().map(|error| error.code.clone()).unwrap_or_default(),
        run.trace_id.clone(),
        labels,
    ];
    Ok(cells.map(|text| cell(&text)).join(",") + "\r\n")
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A cell by RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe in front.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    if text.contains([',', '"', '\r', '\n']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_text_and_never_a_formula() {
        for (text, written) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"\nthere", "\"say \"\"hi\"\"\nthere\""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\r=x", "\"'\r=x\""),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
        ] {
            assert_eq!(cell(text), written, "{text:?}");
        }
    }
}
