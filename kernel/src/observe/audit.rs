//! Reading the audit: all of it, or what the reader did.

use std::collections::BTreeMap;

use types::audit::{AuditEntry, AuditFilter, AuditQuery};
use types::id::{RunId, UserId};
use types::page::{Page, PageQuery};
use types::run::CallerKind;

use super::Observe;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::names::names;
use crate::policy::guard::{self, Extent};

impl Observe {
    /// One page of the workspace's audit, newest first.
    pub async fn list_audit(&self, ctx: &OpContext, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let by = reach(ctx)?;
        check(query)?;
        Ok(self.ports.audits.list_audit(ctx.scope, by, query).await?)
    }

    /// One audit row by its number.
    pub async fn find_audit(&self, ctx: &OpContext, seq: u64) -> Result<AuditEntry> {
        let by = reach(ctx)?;
        self.ports.audits.find_audit(ctx.scope, by, seq).await?.ok_or_else(Error::not_found)
    }

    /// One page of the audit rows that belong to a run, newest first.
    pub async fn list_run_audit(&self, ctx: &OpContext, id: RunId, page: &PageQuery) -> Result<Page<AuditEntry>> {
        self.find_run(ctx, id).await?;
        let mut query = AuditQuery { cursor: page.cursor.clone(), ..AuditQuery::default() };
        query.filter.run_id.push(id);
        query.limit = page.limit.unwrap_or(query.limit);
        self.list_audit(ctx, &query).await
    }

    /// Names of the people who did it, by id, as far as the reader may know them.
    pub async fn list_actor_names(&self, ctx: &OpContext, entries: &[AuditEntry]) -> Result<BTreeMap<String, String>> {
        let people = entries.iter().filter(|entry| entry.actor.kind == CallerKind::User);
        let people = people.filter_map(|entry| entry.actor.id.parse().ok()).collect();
        names(ctx, &*self.ports.directory, people, Default::default()).await
    }
}

/// Whose rows the caller may read: everybody's, or one's own.
fn reach(ctx: &OpContext) -> Result<Option<UserId>> {
    match guard::authorize_rows(ctx, "audit.read")? {
        Extent::All => Ok(None),
        Extent::Own => ctx.user_id.map(Some).ok_or_else(Error::not_found),
    }
}

fn check(query: &AuditQuery) -> Result<()> {
    let mut checks = Checks::default();
    let filter = &query.filter;
    checks.within(Some(query.limit), 1, 200, "limit");
    for (name, count) in filter.counts() {
        let most = AuditFilter::MOST_VALUES;
        checks.require(count <= most, name, format!("takes at most {most} values, ask in parts"));
    }
    let ordered = filter.since.zip(filter.until).is_none_or(|(since, until)| since < until);
    checks.require(ordered, "until", "must be after `since`");
    checks.done()
}
