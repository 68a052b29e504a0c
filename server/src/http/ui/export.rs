//! `/ui/export/runs`: the runs list as a file, with the filters of its address.

use std::sync::Arc;

use app::query::{Params, misread, runs_of, within};
use app::visit::Visit;
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use types::name::Slug;

use super::prefs;
use crate::backend::Visitor;
use crate::compose::App;
use crate::http::export as file;
use crate::http::{Error, Result};

/// Every run of the list.
pub(super) async fn export_runs(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let params = Params::parse(query.as_deref().unwrap_or_default());
    let workspace: Slug = required(&params, "w")?;
    let format = required(&params, "format")?;
    let ctx = visitor.enter(&workspace).await?;
    let zone = Visit::new(prefs::cookie(&headers), None, &params, ctx.now).zone;
    // Without its ids it would be the file of every run.
    if misread(&params, &zone).contains(&"f.id") {
        return Err(Error::invalid("f.id", "must be ids of at most 100 runs"));
    }
    let (range, mut query) = runs_of(&params, &zone);
    let (from, to) = range.bounds(ctx.now);
    query.filter = within(range, ctx.now, query.filter);
    let export = app.observe.export_runs(&ctx, query).await?;
    let name = format!("{workspace}-runs-{}-{}", from.format("%Y%m%dT%H%M%SZ"), to.format("%Y%m%dT%H%M%SZ"));
    Ok(file::answer(export, format, &name))
}

fn required<T: std::str::FromStr<Err: std::fmt::Display>>(params: &Params, name: &str) -> Result<T> {
    let text = params.get(name).ok_or_else(|| Error::invalid(name, "is missing"))?;
    text.parse().map_err(|error| Error::invalid(name, format!("{error}")))
}
