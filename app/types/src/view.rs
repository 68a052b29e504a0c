//! Saved views of lists: a name for what narrows, orders and shows a list.

use serde::{Deserialize, Serialize};

use crate::id::{UserId, ViewId};
use crate::name::Name;
use crate::word::words;

/// Most characters of a view's query.
pub const MOST_QUERY_CHARACTERS: usize = 4_000;

words! {
    /// A list whose views can be saved.
    pub enum ViewPage {
        /// Runs.
        Runs = "runs",
        /// Events.
        Events = "events",
        /// The audit.
        Audit = "audit",
    }
}

/// A saved view, as one of its readers sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SavedView {
    /// The view's id.
    pub id: ViewId,
    /// The list it is of.
    pub page: ViewPage,
    /// Its name, unique among its owner's views of the list.
    pub name: Name,
    /// The query of the list's address, without `?`: filters, range, order, columns.
    pub query: String,
    /// Whether everybody of the workspace sees it.
    pub shared: bool,
    /// Whether the list opens with it for its reader, who need not be its owner.
    pub default: bool,
    /// Whose it is.
    pub owner_id: UserId,
    /// Their name, where they are still known.
    pub owner: Option<Name>,
    /// For `If-Match`.
    pub version: u64,
}

/// Saves a view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateView {
    /// The list it is of.
    pub page: ViewPage,
    /// Its name, 1–80 characters.
    pub name: Name,
    /// The query of the list's address, without `?`; at most 4000 characters.
    pub query: String,
    /// Whether everybody of the workspace sees it.
    #[serde(default)]
    pub shared: bool,
    /// Whether the list opens with it from now on, for oneself.
    #[serde(default)]
    pub default: bool,
}

/// Changes a view. Only its owner changes what it is; whether a list opens with it everybody says for themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UpdateView {
    /// Its new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Its new query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Whether everybody of the workspace sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Whether the list opens with it, for oneself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
}
