//! Pages of the lists of the fake. A cursor is the last row's key and, in plain words, the list it belongs to.

use kernel::port::StoreError;
use types::page::Page;

/// The page of a list that is asked for; `list` says which list, and what was asked of it.
pub(super) fn page<T>(
    mut items: Vec<T>,
    key: impl Fn(&T) -> String,
    list: &str,
    limit: u32,
    cursor: Option<&str>,
) -> Result<Page<T>, StoreError> {
    if let Some(cursor) = cursor {
        let (last, of) = cursor.split_once(' ').ok_or(StoreError::Cursor)?;
        let place = items.iter().position(|item| key(item) == last).filter(|_| of == list);
        items.drain(..=place.ok_or(StoreError::Cursor)?);
    }
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next_cursor = items.last().filter(|_| more).map(|last| format!("{} {list}", key(last)));
    Ok(Page { items, next_cursor })
}
