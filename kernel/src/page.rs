//! Keyset pages of the lists a workspace sets up itself: few rows, read whole, handed out in parts.
//!
//! A cursor is the position of the last row of its page, so rows that come and go meanwhile neither repeat nor hide others.

use std::cmp::Ordering;
use std::fmt::Display;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use types::access::{Grant, Group, ServicePrincipal};
use types::budget::Budget;
use types::id::{
    ApiKeyId, BudgetId, GrantId, GroupId, InvitationId, LegalHoldId, ModelId, PriceId, ProviderId, ServicePrincipalId,
    UserId, ViewId, WorkspaceId,
};
use types::identity::Workspace;
use types::key::ApiKey;
use types::member::{Invitation, Member};
use types::modelhub::{Model, Price, Provider};
use types::page::{Page, PageQuery};
use types::problem::Code;
use types::retention::LegalHold;
use types::tenant::TenantMember;
use types::view::SavedView;

use crate::check::Checks;
use crate::error::{Error, Result};
use crate::view;

const MOST: u32 = 200;
const DEFAULT: u32 = 50;

/// Which end of a list comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The oldest.
    OldestFirst,
    /// The newest.
    NewestFirst,
    /// The first by name.
    ByName,
}

/// What a list is ordered by.
pub trait Mark: Ord + Sized {
    /// As a cursor holds it: letters and digits.
    fn write(&self) -> String;
    /// What was written.
    fn read(text: &str) -> Option<Self>;
}

impl Mark for DateTime<Utc> {
    fn write(&self) -> String {
        self.timestamp_micros().to_string()
    }

    fn read(text: &str) -> Option<Self> {
        Self::from_timestamp_micros(text.parse().ok()?)
    }
}

/// A name as it is compared.
impl Mark for String {
    fn write(&self) -> String {
        self.bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    fn read(text: &str) -> Option<Self> {
        let pairs = text.as_bytes().chunks(2);
        let bytes = pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
        Self::from_utf8(bytes.collect::<Option<_>>()?).ok().filter(|name| name.write() == text)
    }
}

/// What stands in a list ordered by time or name.
pub trait Listed {
    /// What it is ordered by.
    type Mark: Mark;
    /// Its id.
    type Id: Copy + Ord + Display + FromStr;

    /// What it is ordered by, then its id.
    fn position(&self) -> (Self::Mark, Self::Id);
}

macro_rules! listed {
    ($($kind:ty, $id:ty, $time:ident, $named:ident;)+) => {$(
        impl Listed for $kind {
            type Mark = DateTime<Utc>;
            type Id = $id;

            fn position(&self) -> (DateTime<Utc>, $id) {
                (self.$time, self.$named)
            }
        }
    )+};
}

listed! {
    ApiKey, ApiKeyId, created_at, id;
    Budget, BudgetId, created_at, id;
    Provider, ProviderId, created_at, id;
    Model, ModelId, created_at, id;
    Price, PriceId, valid_from, id;
    Member, UserId, joined_at, user_id;
    Invitation, InvitationId, created_at, id;
    ServicePrincipal, ServicePrincipalId, created_at, id;
    Grant, GrantId, created_at, id;
    LegalHold, LegalHoldId, created_at, id;
}

impl Listed for Group {
    type Mark = String;
    type Id = GroupId;

    fn position(&self) -> (String, GroupId) {
        (view::key(&self.name), self.id)
    }
}

impl Listed for Workspace {
    type Mark = String;
    type Id = WorkspaceId;

    fn position(&self) -> (String, WorkspaceId) {
        (view::key(&self.name), self.id)
    }
}

impl Listed for TenantMember {
    type Mark = String;
    type Id = UserId;

    fn position(&self) -> (String, UserId) {
        (view::key(&self.name), self.user_id)
    }
}

impl Listed for SavedView {
    type Mark = String;
    type Id = ViewId;

    fn position(&self) -> (String, ViewId) {
        (view::key(&self.name), self.id)
    }
}

/// The page of a list that is asked for.
pub fn page<T: Listed>(mut items: Vec<T>, order: Order, query: &PageQuery) -> Result<Page<T>> {
    let mut checks = Checks::default();
    checks.within(query.limit, 1, MOST, "limit");
    checks.done()?;
    let limit = query.limit.unwrap_or(DEFAULT) as usize;
    let compare = |one: &(T::Mark, T::Id), other: &(T::Mark, T::Id)| match order {
        Order::OldestFirst | Order::ByName => one.cmp(other),
        Order::NewestFirst => other.cmp(one),
    };
    items.sort_by(|one, other| compare(&one.position(), &other.position()));
    if let Some(cursor) = &query.cursor {
        let end = read(cursor).ok_or_else(|| {
            Error::new(Code::InvalidCursor, "the cursor was altered or belongs to another list; start without one")
        })?;
        items.retain(|item| compare(&end, &item.position()) == Ordering::Less);
    }
    let more = items.len() > limit;
    items.truncate(limit);
    let next_cursor = items.last().filter(|_| more).map(|last| write(last.position()));
    Ok(Page { items, next_cursor })
}

fn write<M: Mark, Id: Display>((mark, id): (M, Id)) -> String {
    format!("{id}.{}", mark.write())
}

/// Ids tell their kind, so a cursor of another list cannot be read.
fn read<M: Mark, Id: FromStr>(cursor: &str) -> Option<(M, Id)> {
    let (id, mark) = cursor.split_once('.')?;
    Some((M::read(mark)?, id.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use types::id::Uuid;

    use super::*;

    struct Row(i64, u128);

    impl Listed for Row {
        type Mark = DateTime<Utc>;
        type Id = ApiKeyId;

        fn position(&self) -> (DateTime<Utc>, ApiKeyId) {
            let time = DateTime::from_timestamp_micros(self.0).expect("a time");
            (time, ApiKeyId::from_uuid(Uuid::from_u128(self.1)))
        }
    }

    fn rows() -> Vec<Row> {
        // Two of each time, in no order.
        (0..7).map(|number| Row((number * 5 % 7) / 2, u128::from(number.unsigned_abs()))).collect()
    }

    fn asked(limit: u32, cursor: Option<&str>) -> PageQuery {
        PageQuery { limit: Some(limit), cursor: cursor.map(str::to_owned) }
    }

    #[test]
    fn pages_hold_every_row_once_and_in_order() {
        for order in [Order::OldestFirst, Order::NewestFirst] {
            for limit in 1..=7 {
                let (mut seen, mut cursor) = (Vec::new(), None);
                loop {
                    let page = page(rows(), order, &asked(limit, cursor.as_deref())).expect("a page");
                    seen.extend(page.items.iter().map(Row::position));
                    cursor = page.next_cursor;
                    if cursor.is_none() {
                        break;
                    }
                }
                let mut sorted = seen.clone();
                sorted.sort();
                if order == Order::NewestFirst {
                    sorted.reverse();
                }
                assert_eq!((seen.len(), &seen), (7, &sorted), "{order:?} by {limit}");
            }
        }
    }

    #[test]
    fn a_page_goes_on_where_its_last_row_was_also_when_that_is_gone() {
        let first = page(rows(), Order::OldestFirst, &asked(3, None)).expect("a page");
        let last = first.items.last().expect("a row").position();
        let left: Vec<Row> = rows().into_iter().filter(|row| row.position() != last).collect();
        let rest = page(left, Order::OldestFirst, &asked(200, first.next_cursor.as_deref())).expect("the rest");
        assert_eq!((rest.items.len(), rest.next_cursor), (4, None));
    }

    #[test]
    fn a_name_survives_the_way_to_a_cursor_and_back() {
        for name in ["", "failed", "失败 é"] {
            assert_eq!(String::read(&name.to_owned().write()).as_deref(), Some(name));
        }
        for wrong in ["6", "6g", "+6", "ff", "é"] {
            assert_eq!(String::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_foreign_cursor_and_a_wrong_limit_are_refused() {
        let code = |query: PageQuery| page(rows(), Order::OldestFirst, &query).err().map(|error| error.code());
        let foreign = write((DateTime::UNIX_EPOCH, BudgetId::from_uuid(Uuid::from_u128(1))));
        for cursor in ["", "x", "key_1.5", &foreign] {
            assert_eq!(code(asked(5, Some(cursor))), Some(Code::InvalidCursor), "{cursor}");
        }
        for limit in [0, 201] {
            assert_eq!(code(asked(limit, None)), Some(Code::Invalid), "{limit}");
        }
    }
}
