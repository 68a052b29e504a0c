//! Reading the audit.

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{Audits, StoreError};
use types::audit::{AuditEntry, AuditFilter, AuditQuery};
use types::id::UserId;
use types::page::Page;
use types::run::{CallerKind, Term};

use super::page::page;
use super::store::FakeStore;

#[async_trait]
impl Audits for FakeStore {
    async fn list_audit(
        &self,
        scope: Scope,
        by: Option<UserId>,
        query: &AuditQuery,
    ) -> Result<Page<AuditEntry>, StoreError> {
        let mut entries = self.audit_entries(scope, by);
        entries.retain(|entry| matches(&query.filter, entry));
        entries.reverse();
        let list = format!("audit {scope:?} {by:?} {:?}", query.filter);
        page(entries, |entry| entry.seq.to_string(), &list, query.limit, query.cursor.as_deref())
    }

    async fn find_audit(&self, scope: Scope, by: Option<UserId>, seq: u64) -> Result<Option<AuditEntry>, StoreError> {
        Ok(self.audit_entries(scope, by).into_iter().find(|entry| entry.seq == seq))
    }
}

impl FakeStore {
    /// Oldest first.
    fn audit_entries(&self, scope: Scope, by: Option<UserId>) -> Vec<AuditEntry> {
        let rows = self.rows();
        let here = rows.audit.iter().filter(|(of, ..)| *of == scope);
        let mut entries: Vec<AuditEntry> = here.map(|(_, audit, seq)| audit.entry(*seq)).collect();
        entries.retain(|entry| {
            by.is_none_or(|by| entry.actor.kind == CallerKind::User && entry.actor.id == by.to_string())
        });
        entries.sort_by_key(|entry| entry.seq);
        entries
    }
}

pub(super) fn matches(filter: &AuditFilter, entry: &AuditEntry) -> bool {
    Term::pass(&filter.actor_kind, |kind| *kind == entry.actor.kind)
        && Term::pass(&filter.actor_id, |id| *id == entry.actor.id)
        && Term::pass(&filter.resource_type, |kind| *kind == entry.resource.kind)
        && Term::pass(&filter.resource_id, |id| *id == entry.resource.id)
        && Term::pass(&filter.operation, |operation| *operation == entry.operation)
        && Term::pass(&filter.event_type, |event_type| *event_type == entry.event_type)
        && Term::pass(&filter.outcome, |outcome| *outcome == entry.outcome)
        && Term::pass(&filter.address, |address| entry.address.as_ref() == Some(address))
        && (filter.run_id.is_empty() || entry.run_id.is_some_and(|id| filter.run_id.contains(&id)))
        && filter.since.is_none_or(|since| entry.occurred_at >= since)
        && filter.until.is_none_or(|until| entry.occurred_at < until)
}
