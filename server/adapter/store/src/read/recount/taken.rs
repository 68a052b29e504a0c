//! How far back rows are gone by a purge: what they counted can be told by nobody any more, and counters stay as they are.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use entity::sequence;
use kernel::context::Scope;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use types::id::{Uuid, WorkspaceId};

use crate::purge::PURGED;

/// Before which times rows are gone.
#[derive(Default)]
pub(super) struct Taken {
    workspaces: HashMap<WorkspaceId, DateTime<Utc>>,
    /// The latest of their workspaces.
    tenants: HashMap<Uuid, DateTime<Utc>>,
}

impl Taken {
    pub(super) async fn read<C: ConnectionTrait>(db: &C) -> Result<Self, DbErr> {
        let rows = sequence::Entity::find().filter(sequence::Column::Key.starts_with(PURGED)).all(db).await?;
        let mut taken = Self::default();
        for row in rows {
            let id = row.key.strip_prefix(PURGED).and_then(|id| id.parse().ok());
            let Some((id, before)) = id.zip(DateTime::from_timestamp(row.value, 0)) else { continue };
            taken.workspaces.insert(id, before);
            let latest = taken.tenants.entry(row.tenant_id).or_insert(before);
            *latest = (*latest).max(before);
        }
        Ok(taken)
    }

    /// Whether rows of a stretch that begins there may be gone.
    pub(super) fn reaches(&self, scope: Scope, starts_at: DateTime<Utc>) -> bool {
        self.workspaces.get(&scope.workspace_id).is_some_and(|before| starts_at < *before)
    }

    /// Whether costs that a balance counts may be gone: its key ends with the day or month it begins, or counts all there was.
    pub(super) fn reaches_balance(&self, tenant_id: Uuid, key: &str) -> bool {
        let Some(before) = self.tenants.get(&tenant_id) else { return false };
        let period = key.rsplit(':').next().unwrap_or_default();
        let day = if period.len() == "2026-01".len() { format!("{period}-01") } else { period.to_owned() };
        day.parse::<NaiveDate>().map_or(true, |day| day.and_time(chrono::NaiveTime::MIN).and_utc() < *before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balance_is_reached_that_begins_before() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
        let tenant = Uuid::from_u128(1);
        let taken = Taken { tenants: [(tenant, at("2026-03-10T12:00:00Z"))].into(), ..Taken::default() };
        for (key, reached) in [
            ("budget:b:2026-03-10", true),
            ("budget:b:2026-03-11", false),
            ("spend:k:USD:2026-03", true),
            ("spend:k:USD:2026-04", false),
            ("budget:b:total", true),
        ] {
            assert_eq!(taken.reaches_balance(tenant, key), reached, "{key}");
        }
        assert!(!taken.reaches_balance(Uuid::from_u128(2), "budget:b:total"), "of a tenant without purges");
    }
}
