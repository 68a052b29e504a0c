//! One page of a list that a workspace sets up itself.

use serde::{Deserialize, Serialize};
use types::page::Page;

/// One page of such a list, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List<T> {
    /// The rows.
    pub page: Page<T>,
    /// How many there are on all pages.
    pub total: usize,
    /// The cursor was none of this list's, so this is its first page.
    pub cursor_refused: bool,
}

impl<T> List<T> {
    /// The same page with every row changed by `shape`.
    #[must_use]
    pub fn map<U>(self, shape: impl FnMut(T) -> U) -> List<U> {
        List { page: self.page.map(shape), total: self.total, cursor_refused: self.cursor_refused }
    }
}
