//! The models a credential may call.

use axum::extract::State;
use chrono::{DateTime, Utc};
use kernel::gateway::Listed;
use serde::{Deserialize, Serialize};

use super::caller::Caller;
use crate::compose::App;
use crate::http::problem::{Error, Result};
use crate::http::{Json, Path, Query};

/// Which part of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Page {
    limit: Option<usize>,
    after_id: Option<String>,
    before_id: Option<String>,
}

/// A model, in OpenAI's form and Anthropic's at once.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Model {
    id: String,
    object: &'static str,
    created: i64,
    owned_by: String,
    #[serde(rename = "type")]
    kind: &'static str,
    display_name: String,
    created_at: DateTime<Utc>,
}

/// A part of the list.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct List {
    object: &'static str,
    data: Vec<Model>,
    has_more: bool,
    first_id: Option<String>,
    last_id: Option<String>,
}

/// `GET /v1/models`.
pub(super) async fn list_models(
    State(app): State<App>,
    caller: Caller,
    Query(page): Query<Page>,
) -> Result<Json<List>> {
    let models = app.gateway.list_models(&caller.ctx).await?;
    page.of(models.into_iter().map(Model::from).collect()).map(Json)
}

/// `GET /v1/models/{id}`: the id may hold `:` and `/`.
pub(super) async fn find_model(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Json<Model>> {
    let model = app.gateway.find_model(&caller.ctx, &id).await?;
    Ok(Json(model.into()))
}

impl From<Listed> for Model {
    fn from(model: Listed) -> Self {
        Self {
            id: model.id,
            object: "model",
            created: model.created_at.timestamp(),
            owned_by: model.owned_by,
            kind: "model",
            display_name: model.display_name,
            created_at: model.created_at,
        }
    }
}

impl Page {
    /// The part of the list: behind `after_id`, before `before_id`, at most `limit`.
    fn of(self, models: Vec<Model>) -> Result<List> {
        if self.limit.is_some_and(|limit| !(1..=1000).contains(&limit)) {
            return Err(Error::invalid("limit", "must be a whole number from 1 to 1000"));
        }
        let place = |name: &str, id: &String| {
            let place = models.iter().position(|model| model.id == *id);
            place.ok_or_else(|| Error::invalid(name, "names no model of the list"))
        };
        let start = self.after_id.as_ref().map(|id| place("after_id", id)).transpose()?.map_or(0, |place| place + 1);
        let end = self.before_id.as_ref().map(|id| place("before_id", id)).transpose()?.unwrap_or(models.len());
        let limit = self.limit.unwrap_or(usize::MAX);
        let wanted = end.saturating_sub(start);
        // Before an id, the nearest ones; else from the front.
        let skipped = if self.before_id.is_some() { wanted.saturating_sub(limit) } else { 0 };
        let data: Vec<Model> = models.into_iter().skip(start + skipped).take(wanted.min(limit)).collect();
        Ok(List {
            object: "list",
            has_more: data.len() < wanted,
            first_id: data.first().map(|model| model.id.clone()),
            last_id: data.last().map(|model| model.id.clone()),
            data,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(limit: Option<usize>, after_id: Option<&str>, before_id: Option<&str>) -> Result<(Vec<String>, bool)> {
        let model = |id: &str| {
            Model::from(Listed {
                id: id.to_owned(),
                owned_by: String::new(),
                display_name: String::new(),
                created_at: DateTime::UNIX_EPOCH,
            })
        };
        let page = Page { limit, after_id: after_id.map(str::to_owned), before_id: before_id.map(str::to_owned) };
        let list = page.of(["a", "b", "c", "d"].map(model).into())?;
        Ok((list.data.into_iter().map(|model| model.id).collect(), list.has_more))
    }

    #[test]
    fn pages_go_both_ways() {
        let is = |ids: &[&str], more| (ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>(), more);
        assert_eq!(page(None, None, None).unwrap(), is(&["a", "b", "c", "d"], false));
        assert_eq!(page(Some(2), None, None).unwrap(), is(&["a", "b"], true));
        assert_eq!(page(Some(2), Some("b"), None).unwrap(), is(&["c", "d"], false));
        assert_eq!(page(Some(1), None, Some("c")).unwrap(), is(&["b"], true));
        for wrong in [page(Some(0), None, None), page(None, Some("z"), None)] {
            assert!(wrong.is_err());
        }
    }
}
