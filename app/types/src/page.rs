//! Keyset pages: `{items, next_cursor}`.

use serde::{Deserialize, Serialize};

/// One page of a list. `next_cursor` is null on the last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Page<T> {
    /// The rows, in the order asked for.
    pub items: Vec<T>,
    /// Opaque; pass as `after` (console) or `cursor` (API) with the same filters to go on.
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// The same page with every item changed by `shape`.
    pub fn map<U>(self, shape: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(shape).collect(), next_cursor: self.next_cursor }
    }
}

/// Which page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// 1–200, default 50.
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl<T> From<Vec<T>> for Page<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, next_cursor: None }
    }
}
