//! The query of the runs list: filters that repeat, and a refusal for every name that is none.

use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chrono::{DateTime, Utc};
use types::feedback::Rating;
use types::id::{ApiKeyId, RequestId, RunId};
use types::money::{Amount, Currency};
use types::run::{Entry, Mode, RunFilter, RunMark, RunQuery, RunSort, RunStatus, Source};
use utoipa::ToSchema;
use utoipa::openapi::schema::{AnyOfBuilder, Array, ArrayBuilder, ObjectBuilder, Ref, Type};

use crate::http::export::Format;
use crate::http::plain::plain;
use crate::http::{Error, Query, Result};

/// Which page of the runs list, as the document describes it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query; `RunSearch` reads it, because filters repeat")]
pub(super) struct RunParameters {
    /// 1–200, default 50.
    limit: Option<u32>,
    /// `next_cursor` of the page before, with the same filters.
    cursor: Option<String>,
    /// Counts what matches, up to 10,000.
    with_total: Option<bool>,
    /// `started_at`, `ended_at`, `duration_ms` or `cost` (with `currency`), with a leading `-` for descending; default
    /// `-started_at`.
    sort: Option<String>,
}

/// Of which time, as the document describes it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query; `take_listed` reads it")]
pub(super) struct RunTime {
    /// Started at or after.
    started_from: Option<DateTime<Utc>>,
    /// Started before.
    started_to: Option<DateTime<Utc>>,
}

/// Which runs, as the document describes it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query; `take_filter` reads it, because filters repeat")]
pub(super) struct RunFilters {
    /// These runs alone.
    id: Option<Vec<RunId>>,
    /// Where the run stands.
    #[param(schema_with = terms::<RunStatus>)]
    status: Option<Vec<RunStatus>>,
    /// What kind of execution.
    #[param(schema_with = terms::<Mode>)]
    mode: Option<Vec<Mode>>,
    /// Through which door.
    #[param(schema_with = terms::<Entry>)]
    entry: Option<Vec<Entry>>,
    /// Who made soit do it.
    #[param(schema_with = terms::<Source>)]
    source: Option<Vec<Source>>,
    /// Who asked; a `!` before it leaves it out instead.
    caller_id: Option<Vec<String>>,
    /// With which key.
    #[param(schema_with = terms::<ApiKeyId>)]
    api_key_id: Option<Vec<ApiKeyId>>,
    /// Which model, as callers named it; a `!` before it leaves it out instead.
    model_ref: Option<Vec<String>>,
    /// Which error; a `!` before it leaves it out instead.
    error_code: Option<Vec<String>>,
    /// The slug of the account asked for; a `!` before it leaves it out instead.
    provider: Option<Vec<String>>,
    /// The value of a label, such as `label.team=search`.
    #[param(rename = "label.{key}")]
    label: Option<Vec<String>>,
    /// What sets a run apart.
    has: Option<Vec<RunMark>>,
    /// What somebody says of it.
    feedback: Option<Vec<Rating>>,
    /// Whether runs were rehearsed; only those that were not, unless it is given.
    sandbox: Option<Vec<bool>>,
    /// The first run of the family.
    root_run_id: Option<Vec<RunId>>,
    /// The run that started it.
    parent_run_id: Option<Vec<RunId>>,
    /// The run it repeats.
    source_run_id: Option<Vec<RunId>>,
    /// W3C trace id.
    trace_id: Option<String>,
    /// The HTTP request.
    request_id: Option<RequestId>,
    /// At least this long.
    min_duration_ms: Option<u64>,
    /// At least so much, in `currency`.
    min_cost: Option<Amount>,
    /// At most so much, in `currency`.
    max_cost: Option<Amount>,
    /// In which money costs are compared and ordered; runs without a cost in it come last.
    currency: Option<Currency>,
    /// 3–200 characters, upper or lower case: a part of ids, model, error, labels or previews.
    q: Option<String>,
}

/// Values of a filter, any of which may be left out instead.
pub(super) fn terms<T: ToSchema>() -> Array {
    let not = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^!"));
    let term = AnyOfBuilder::new().item(Ref::from_schema_name(T::name())).item(not);
    ArrayBuilder::new().items(term).description(Some("Any of these; a `!` before one leaves it out instead.")).build()
}

/// What a reader asks of the runs list.
#[derive(Debug)]
pub(super) struct RunSearch {
    /// Filters, order, page.
    pub(super) query: RunQuery,
    /// Whether to count what matches.
    pub(super) with_total: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for RunSearch {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        let mut search = Self { query: RunQuery::default(), with_total: false };
        for (name, value) in &pairs {
            search.take(name, value)?;
        }
        Ok(search)
    }
}

impl RunSearch {
    fn take(&mut self, name: &str, value: &str) -> Result<()> {
        let RunQuery { filter, limit, cursor, .. } = &mut self.query;
        match name {
            "limit" => *limit = read(name, value)?,
            "sort" => (self.query.sort, self.query.descending) = sort(value)?,
            "cursor" => *cursor = Some(value.to_owned()),
            "with_total" => self.with_total = read(name, value)?,
            _ => return take_listed(filter, name, value),
        }
        Ok(())
    }
}

/// Which runs something is done to: filters as of the list.
#[derive(Debug)]
pub(super) struct RunSelection(pub(super) RunFilter);

impl<S: Send + Sync> FromRequestParts<S> for RunSelection {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        let mut filter = RunFilter::default();
        for (name, value) in &pairs {
            take_listed(&mut filter, name, value)?;
        }
        Ok(Self(filter))
    }
}

fn take_listed(filter: &mut RunFilter, name: &str, value: &str) -> Result<()> {
    match name {
        "started_from" => filter.started_from = Some(read(name, value)?),
        "started_to" => filter.started_to = Some(read(name, value)?),
        _ => return take_filter(filter, name, value),
    }
    Ok(())
}

fn take_filter(filter: &mut RunFilter, name: &str, value: &str) -> Result<()> {
    match name {
        "id" => filter.id.push(read(name, value)?),
        "status" => filter.status.push(read(name, value)?),
        "mode" => filter.mode.push(read(name, value)?),
        "entry" => filter.entry.push(read(name, value)?),
        "source" => filter.source.push(read(name, value)?),
        "caller_id" => filter.caller_id.push(read(name, value)?),
        "api_key_id" => filter.api_key_id.push(read(name, value)?),
        "model_ref" => filter.model_ref.push(read(name, value)?),
        "error_code" => filter.error_code.push(read(name, value)?),
        "trace_id" => filter.trace_id = Some(value.to_owned()),
        "request_id" => filter.request_id = Some(read(name, value)?),
        "min_duration_ms" => filter.min_duration_ms = Some(read(name, value)?),
        "provider" => filter.provider.push(read(name, value)?),
        "has" => filter.has.push(read(name, value)?),
        "feedback" => filter.feedback.push(read(name, value)?),
        "sandbox" => filter.sandbox.push(read(name, value)?),
        "root_run_id" => filter.root_run_id.push(read(name, value)?),
        "parent_run_id" => filter.parent_run_id.push(read(name, value)?),
        "source_run_id" => filter.source_run_id.push(read(name, value)?),
        "min_cost" => filter.min_cost = Some(read(name, value)?),
        "max_cost" => filter.max_cost = Some(read(name, value)?),
        "currency" => filter.currency = Some(read(name, value)?),
        "q" => filter.q = Some(value.to_owned()),
        _ => match name.strip_prefix("label.") {
            Some(key) => filter.label.entry(key.to_owned()).or_default().push(value.to_owned()),
            None => return Err(Error::invalid(name, "is no filter of runs, see /api/v1/openapi.json")),
        },
    }
    Ok(())
}

fn sort(value: &str) -> Result<(RunSort, bool)> {
    let (word, descending) = value.strip_prefix('-').map_or((value, false), |word| (word, true));
    read("sort", word).map(|sort| (sort, descending))
}

/// The value of a parameter, or a refusal that names it.
pub(super) fn read<T: FromStr<Err: std::fmt::Display>>(name: &str, value: &str) -> Result<T> {
    value.parse().map_err(|error: T::Err| Error::invalid(name, plain(&error.to_string())))
}

/// What a reader asks of the file of runs, as the document describes it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query; `RunExport` reads it")]
pub(super) struct ExportParameters {
    /// `csv` or `jsonl`, default `jsonl`.
    format: Option<String>,
    /// Started at or after.
    since: Option<DateTime<Utc>>,
    /// Started before: 10 seconds ago, which is the default, or earlier.
    until: Option<DateTime<Utc>>,
    /// The last run there is already: the file goes on behind it.
    after: Option<RunId>,
}

/// What a reader asks of the file of runs: filters as of the list, a window, and where to go on.
#[derive(Debug)]
pub(super) struct RunExport {
    pub(super) filter: RunFilter,
    pub(super) after: Option<RunId>,
    pub(super) format: Format,
}

impl<S: Send + Sync> FromRequestParts<S> for RunExport {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        let mut export = Self { filter: RunFilter::default(), after: None, format: Format::Jsonl };
        for (name, value) in &pairs {
            match name.as_str() {
                "format" => export.format = read(name, value)?,
                "since" => export.filter.started_from = Some(read(name, value)?),
                "until" => export.filter.started_to = Some(read(name, value)?),
                "after" => export.after = Some(read(name, value)?),
                _ => take_filter(&mut export.filter, name, value)?,
            }
        }
        Ok(export)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use types::run::Term;

    use super::*;

    async fn search(query: &str) -> std::result::Result<RunSearch, String> {
        let request = Request::builder().uri(format!("/runs?{query}"));
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        let found = RunSearch::from_request_parts(&mut parts, &()).await;
        found.map_err(|Error(problem)| problem.errors.first().map(|error| error.field.clone()).unwrap_or_default())
    }

    #[tokio::test]
    async fn filters_repeat_and_order_has_a_sign() {
        let found =
            search("status=failed&status=canceled&sort=duration_ms&limit=7&with_total=true&q=a%20b").await.unwrap();
        assert_eq!(found.query.filter.status, [Term::Is(RunStatus::Failed), Term::Is(RunStatus::Canceled)]);
        assert_eq!((found.query.sort, found.query.descending), (RunSort::DurationMs, false));
        assert_eq!((found.query.limit, found.with_total), (7, true));
        assert_eq!(found.query.filter.q.as_deref(), Some("a b"));
        let found = search("label.team=a&label.team=b&label.env=c&sort=-cost&currency=EUR&max_cost=0.5").await.unwrap();
        assert_eq!(found.query.filter.label["team"], ["a", "b"]);
        assert_eq!(found.query.filter.label["env"], ["c"]);
        assert_eq!((found.query.sort, found.query.descending), (RunSort::Cost, true));
        assert_eq!(found.query.filter.max_cost, Some(Amount::from_nanos(500_000_000)));
        let found = search("status=!failed&mode=gateway&model_ref=!model:a:b&provider=a&provider=!b").await.unwrap();
        assert_eq!(found.query.filter.status, [Term::Not(RunStatus::Failed)]);
        assert_eq!(found.query.filter.mode, [Term::Is(Mode::Gateway)]);
        assert_eq!(found.query.filter.model_ref, [Term::Not("model:a:b".to_owned())]);
        assert_eq!(found.query.filter.provider, [Term::Is("a".to_owned()), Term::Not("b".to_owned())]);
        let none = search("").await.unwrap();
        assert_eq!((none.query, none.with_total), (RunQuery::default(), false));
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_named() {
        for (query, field) in [
            ("thread_id=x", "thread_id"),
            ("status=done", "status"),
            ("status=!done", "status"),
            ("has=!unpriced", "has"),
            ("sort=-price", "sort"),
            ("limit=-1", "limit"),
            ("with_total=yes", "with_total"),
            ("started_from=yesterday", "started_from"),
            ("min_cost=1e3", "min_cost"),
            ("currency=usd", "currency"),
            ("has=citation", "has"),
            ("feedback=!up", "feedback"),
            ("sandbox=maybe", "sandbox"),
            ("labels=x", "labels"),
            ("root_run_id=usr_1", "root_run_id"),
            ("id=usr_1", "id"),
            ("api_key_id=usr_1", "api_key_id"),
        ] {
            assert_eq!(search(query).await.unwrap_err(), field, "{query}");
        }
    }
}
