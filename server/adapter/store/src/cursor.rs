//! Cursors of keyset pages: where a page ended, signed together with what was asked.
//!
//! A cursor that was altered, or comes with other filters, another order or another workspace, does not verify.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use kernel::context::Scope;
use kernel::port::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;
use types::id::{RunId, Uuid};
use types::run::{RunQuery, RunSort};

/// Bytes of the signature kept.
const TAG: usize = 16;
/// Presence and value of the sorted column, then the id.
const POSITION: usize = 1 + 8 + 16;

/// Signs and reads cursors.
#[derive(Clone)]
pub(crate) struct CursorKey([u8; 32]);

/// Where a page ended. Runs that have no value in the sorted column come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Microseconds since 1970, milliseconds of duration, or nano-units of a currency.
    pub(crate) value: Option<i64>,
    pub(crate) id: RunId,
}

impl CursorKey {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    pub(crate) fn write(&self, scope: Scope, query: &RunQuery, position: Position) -> Result<String, StoreError> {
        let mut bytes = Vec::with_capacity(POSITION + TAG);
        bytes.push(u8::from(position.value.is_some()));
        bytes.extend(position.value.unwrap_or_default().to_be_bytes());
        bytes.extend(position.id.as_uuid().as_bytes());
        let tag = self.tag(&List::of(scope, query), &bytes)?;
        bytes.extend(tag);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    pub(crate) fn read(&self, scope: Scope, query: &RunQuery, cursor: &str) -> Result<Position, StoreError> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| StoreError::Cursor)?;
        let (position, tag) = bytes.split_at_checked(POSITION).ok_or(StoreError::Cursor)?;
        let expected = self.tag(&List::of(scope, query), position)?;
        // Both sides are fixed in length; a cursor is no secret, so the comparison need not hide where they differ.
        if tag != expected {
            return Err(StoreError::Cursor);
        }
        let (present, rest) = position.split_first().ok_or(StoreError::Cursor)?;
        let (value, id) = rest.split_at_checked(8).ok_or(StoreError::Cursor)?;
        let value = i64::from_be_bytes(value.try_into().map_err(|_| StoreError::Cursor)?);
        let id = Uuid::from_slice(id).map_err(|_| StoreError::Cursor)?;
        Ok(Position { value: (*present == 1).then_some(value), id: RunId::from_uuid(id) })
    }

    /// A position of any list: `list` says which, and what was asked of it.
    pub(crate) fn sign(
        &self,
        scope: Scope,
        list: &impl Serialize,
        position: &impl Serialize,
    ) -> Result<String, StoreError> {
        let position = json(position)?;
        let mut bytes = self.tag(&(scope.workspace_id.to_string(), list), &position)?.to_vec();
        bytes.extend(position);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The position that [`CursorKey::sign`] wrote for the same list.
    pub(crate) fn verify<P: DeserializeOwned>(
        &self,
        scope: Scope,
        list: &impl Serialize,
        cursor: &str,
    ) -> Result<P, StoreError> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| StoreError::Cursor)?;
        let (tag, position) = bytes.split_at_checked(TAG).ok_or(StoreError::Cursor)?;
        if tag != self.tag(&(scope.workspace_id.to_string(), list), position)? {
            return Err(StoreError::Cursor);
        }
        serde_json::from_slice(position).map_err(|_| StoreError::Cursor)
    }

    fn tag(&self, list: &impl Serialize, position: &[u8]) -> Result<[u8; TAG], StoreError> {
        let list = json(list)?;
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0);
        let mut mac = mac.map_err(|error| StoreError::Internal(error.to_string()))?;
        mac.update(position);
        mac.update(&list);
        let mut tag = [0; TAG];
        for (to, from) in tag.iter_mut().zip(mac.finalize().into_bytes()) {
            *to = from;
        }
        Ok(tag)
    }
}

/// What a cursor of runs belongs to.
#[derive(Serialize)]
struct List<'a> {
    workspace: String,
    filter: &'a types::run::RunFilter,
    sort: RunSort,
    descending: bool,
}

impl<'a> List<'a> {
    fn of(scope: Scope, query: &'a RunQuery) -> Self {
        let workspace = scope.workspace_id.to_string();
        Self { workspace, filter: &query.filter, sort: query.sort, descending: query.descending }
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(|error| StoreError::Internal(error.to_string()))
}

/// A moment as a position keeps it.
pub(crate) fn micros(time: DateTime<Utc>) -> i64 {
    time.timestamp_micros()
}

/// The moment of a position.
pub(crate) fn moment(micros: i64) -> Result<DateTime<Utc>, StoreError> {
    DateTime::from_timestamp_micros(micros).ok_or(StoreError::Cursor)
}

#[cfg(test)]
mod tests {
    use types::id::{TenantId, WorkspaceId};

    use super::*;

    fn scope(workspace: u128) -> Scope {
        Scope {
            tenant_id: TenantId::from_uuid(Uuid::from_u128(1)),
            workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(workspace)),
        }
    }

    #[test]
    fn a_cursor_reads_back_and_belongs_to_its_list_alone() {
        let key = CursorKey::new([7; 32]);
        let query = RunQuery::default();
        for value in [None, Some(-1), Some(i64::MAX)] {
            let position = Position { value, id: RunId::from_uuid(Uuid::from_u128(9)) };
            let cursor = key.write(scope(2), &query, position).expect("a cursor");
            assert_eq!(key.read(scope(2), &query, &cursor).expect("its own list"), position);
            let ascending = RunQuery { descending: false, ..RunQuery::default() };
            let mut filtered = RunQuery::default();
            filtered.filter.trace_id = Some("0".repeat(32));
            let altered = cursor.replacen(['A', 'B'], "C", 1);
            for (scope, query, cursor) in [
                (scope(3), &query, &cursor),
                (scope(2), &ascending, &cursor),
                (scope(2), &filtered, &cursor),
                (scope(2), &query, &altered),
            ] {
                assert!(matches!(key.read(scope, query, cursor), Err(StoreError::Cursor)));
            }
            assert!(CursorKey::new([8; 32]).read(scope(2), &query, &cursor).is_err());
        }
        for text in ["", "x", "AAAA", "not base64!"] {
            assert!(matches!(key.read(scope(2), &query, text), Err(StoreError::Cursor)), "{text}");
        }
    }

    #[test]
    fn a_signed_position_reads_back_and_belongs_to_its_list_alone() {
        let key = CursorKey::new([7; 32]);
        let cursor = key.sign(scope(2), &("audit", "a filter"), &41_u64).expect("a cursor");
        let read = |of: u128, list: (&str, &str), cursor: &str| key.verify::<u64>(scope(of), &list, cursor);
        assert_eq!(read(2, ("audit", "a filter"), &cursor).expect("its own list"), 41);
        let cut = cursor.get(..cursor.len() - 1).expect("a shorter text");
        for (of, list, cursor) in [
            (3, ("audit", "a filter"), cursor.as_str()),
            (2, ("audit", "another"), &cursor),
            (2, ("events", "a filter"), &cursor),
            (2, ("audit", "a filter"), cut),
            (2, ("audit", "a filter"), ""),
            (2, ("audit", "a filter"), "not base64!"),
        ] {
            assert!(matches!(read(of, list, cursor), Err(StoreError::Cursor)), "{cursor}");
        }
    }
}
