//! `/ui/export/{list}`: a list as a file, with the filters of its address.

use std::sync::Arc;

use app::query::{Params, Range, audit_of, events_of, misread, runs_of, within};
use app::visit::{Visit, Zone};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::Response;
use kernel::OpContext;
use kernel::port::Records;
use types::audit::AuditFilter;
use types::name::Slug;
use types::outbox::EventFilter;

use super::prefs;
use crate::backend::Visitor;
use crate::compose::App;
use crate::http::export::{Encoding, Format, answer};
use crate::http::{Error, Result};

/// What is asked for, and by whom.
pub(super) struct Asked {
    ctx: OpContext,
    params: Params,
    workspace: Slug,
    format: Format,
    encoding: Encoding,
    zone: Zone,
}

impl FromRequestParts<App> for Asked {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self> {
        let params = Params::parse(parts.uri.query().unwrap_or_default());
        let workspace: Slug = required(&params, "w")?;
        let format = required(&params, "format")?;
        let visitor = parts.extensions.get::<Arc<Visitor>>().ok_or_else(kernel::Error::not_found)?;
        let ctx = visitor.enter(&workspace).await?;
        let zone = Visit::new(prefs::cookie(&parts.headers), None, &params, ctx.now).zone;
        Ok(Self { ctx, params, workspace, format, encoding: Encoding::of(&parts.headers), zone })
    }
}

impl Asked {
    /// `default-runs-20260115T120000Z-20260116T120000Z`.
    fn name(&self, list: &str, range: Range) -> String {
        let (from, to) = range.bounds(self.ctx.now);
        format!("{}-{list}-{}-{}", self.workspace, from.format("%Y%m%dT%H%M%SZ"), to.format("%Y%m%dT%H%M%SZ"))
    }

    /// The records of a range, oldest first.
    async fn records(&self, app: &App, list: &str, range: Range, records: Records) -> Result<Response> {
        let export = app.observe.export_records(&self.ctx, records).await?;
        Ok(answer(export, self.format, self.encoding, &self.name(list, range)))
    }
}

/// Every run of the list.
pub(super) async fn export_runs(State(app): State<App>, asked: Asked) -> Result<Response> {
    // Without its ids it would be the file of every run.
    if misread(&asked.params, &asked.zone).contains(&"f.id") {
        return Err(Error::invalid("f.id", "must be ids of at most 100 runs"));
    }
    let (range, mut query) = runs_of(&asked.params, &asked.zone);
    query.filter = within(range, asked.ctx.now, query.filter);
    let export = app.observe.export_runs(&asked.ctx, query).await?;
    Ok(answer(export, asked.format, asked.encoding, &asked.name("runs", range)))
}

/// Every audit row of the list.
pub(super) async fn export_audit(State(app): State<App>, asked: Asked) -> Result<Response> {
    let (range, filter, wrong) = audit_of(&asked.params, &asked.zone);
    readable(&wrong)?;
    let (from, to) = range.bounds(asked.ctx.now);
    let filter = AuditFilter { since: Some(from), until: Some(to), ..filter };
    asked.records(&app, "audit", range, Records::Audit(filter)).await
}

/// Every event of the list.
pub(super) async fn export_events(State(app): State<App>, asked: Asked) -> Result<Response> {
    let (range, filter, wrong) = events_of(&asked.params, &asked.zone);
    readable(&wrong)?;
    let (from, to) = range.bounds(asked.ctx.now);
    let filter = EventFilter { since: Some(from), until: Some(to), ..filter };
    asked.records(&app, "events", range, Records::Events(filter)).await
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
