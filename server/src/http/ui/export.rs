//! `/ui/export/{list}`: a list as a file, with the filters of its address.

use std::sync::Arc;

use app::query::{Params, Range, audit_of, events_of, misread, runs_of, within};
use app::visit::{Visit, Zone};
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use kernel::OpContext;
use kernel::port::Records;
use types::name::Slug;

use super::prefs;
use crate::backend::Visitor;
use crate::compose::App;
use crate::http::export::{Encoding, Format, answer};
use crate::http::{Error, Result};

/// What is asked for, and by whom.
struct Asked {
    ctx: OpContext,
    params: Params,
    workspace: Slug,
    format: Format,
    encoding: Encoding,
    zone: Zone,
}

impl Asked {
    async fn read(visitor: &Visitor, headers: &HeaderMap, query: Option<&str>) -> Result<Self> {
        let params = Params::parse(query.unwrap_or_default());
        let workspace: Slug = required(&params, "w")?;
        let format = required(&params, "format")?;
        let ctx = visitor.enter(&workspace).await?;
        let zone = Visit::new(prefs::cookie(headers), None, &params, ctx.now).zone;
        Ok(Self { ctx, params, workspace, format, encoding: Encoding::of(headers), zone })
    }

    /// `default-runs-20260115T120000Z-20260116T120000Z`.
    fn name(&self, list: &str, range: Range) -> String {
        let (from, to) = range.bounds(self.ctx.now);
        format!("{}-{list}-{}-{}", self.workspace, from.format("%Y%m%dT%H%M%SZ"), to.format("%Y%m%dT%H%M%SZ"))
    }
}

/// Every run of the list.
pub(super) async fn export_runs(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let asked = Asked::read(&visitor, &headers, query.as_deref()).await?;
    // Without its ids it would be the file of every run.
    if misread(&asked.params, &asked.zone).contains(&"f.id") {
        return Err(Error::invalid("f.id", "must be ids of at most 100 runs"));
    }
    let (range, mut query) = runs_of(&asked.params, &asked.zone);
    query.filter = within(range, asked.ctx.now, query.filter);
    let export = app.observe.export_runs(&asked.ctx, query).await?;
    Ok(answer(export, asked.format, asked.encoding, &asked.name("runs", range)))
}

/// Every audit row of the list, oldest first.
pub(super) async fn export_audit(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let asked = Asked::read(&visitor, &headers, query.as_deref()).await?;
    let (range, mut filter, wrong) = audit_of(&asked.params, &asked.zone);
    readable(&wrong)?;
    let (from, to) = range.bounds(asked.ctx.now);
    (filter.since, filter.until) = (Some(from), Some(to));
    let export = app.observe.export_records(&asked.ctx, Records::Audit(filter)).await?;
    Ok(answer(export, asked.format, asked.encoding, &asked.name("audit", range)))
}

/// Every event of the list, oldest first.
pub(super) async fn export_events(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let asked = Asked::read(&visitor, &headers, query.as_deref()).await?;
    let (range, mut filter, wrong) = events_of(&asked.params, &asked.zone);
    readable(&wrong)?;
    let (from, to) = range.bounds(asked.ctx.now);
    (filter.since, filter.until) = (Some(from), Some(to));
    let export = app.observe.export_records(&asked.ctx, Records::Events(filter)).await?;
    Ok(answer(export, asked.format, asked.encoding, &asked.name("events", range)))
}

/// What is left of filters that cannot be read names more rows than were asked for.
fn readable(wrong: &[&'static str]) -> Result<()> {
    match wrong.first() {
        Some(name) => Err(Error::invalid(*name, "cannot be read, or names too many")),
        None => Ok(()),
    }
}

fn required<T: std::str::FromStr<Err: std::fmt::Display>>(params: &Params, name: &str) -> Result<T> {
    let text = params.get(name).ok_or_else(|| Error::invalid(name, "is missing"))?;
    text.parse().map_err(|error| Error::invalid(name, format!("{error}")))
}
