//! Reading the audit: all of it, or what the reader did.

use std::collections::BTreeMap;

use types::audit::{AuditEntry, AuditFilter, AuditQuery};
use types::id::{RunId, ServicePrincipalId, UserId};
use types::page::{Page, PageQuery};
use types::run::{CallerKind, Term};

use super::Observe;
use crate::artifact::restored;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::names::names;
use crate::policy::guard::{self, Extent};
use crate::port::NamedIds;

impl Observe {
    /// One page of the workspace's audit, newest first.
    pub async fn list_audit(&self, ctx: &OpContext, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let by = reach(ctx)?;
        check(query)?;
        match by {
            Reach::All => Ok(self.ports.audits.list_audit(ctx.scope, None, query).await?),
            Reach::Person(id) => Ok(self.ports.audits.list_audit(ctx.scope, Some(id), query).await?),
            Reach::Principal(own) => match of_principal(query, own) {
                Some(query) => Ok(self.ports.audits.list_audit(ctx.scope, None, &query).await?),
                None => Ok(Page { items: Vec::new(), next_cursor: None }),
            },
        }
    }

    /// One page of what the tenant of the context did as a whole, newest first. What happens in its workspaces is theirs.
    pub async fn list_tenant_audit(&self, ctx: &OpContext, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        guard::authorize(ctx, "tenant_audit.read")?;
        check(query)?;
        Ok(self.ports.audits.list_audit(ctx.scope, None, query).await?)
    }

    /// One audit row by its number, with its details also where they are long.
    pub async fn find_audit(&self, ctx: &OpContext, seq: u64) -> Result<AuditEntry> {
        let by = reach(ctx)?;
        let person = if let Reach::Person(id) = by { Some(id) } else { None };
        let entry = self.ports.audits.find_audit(ctx.scope, person, seq).await?.ok_or_else(Error::not_found)?;
        if matches!(by, Reach::Principal(_)) && entry.actor != ctx.caller() {
            return Err(Error::not_found());
        }
        let payload = restored(&self.ports.library, ctx.scope, entry.payload).await?;
        Ok(AuditEntry { payload, ..entry })
    }

    /// One page of the audit rows that belong to a run, newest first.
    pub async fn list_run_audit(&self, ctx: &OpContext, id: RunId, page: &PageQuery) -> Result<Page<AuditEntry>> {
        self.find_run(ctx, id).await?;
        let mut query = AuditQuery { cursor: page.cursor.clone(), ..AuditQuery::default() };
        query.filter.run_id.push(id);
        query.limit = page.limit.unwrap_or(query.limit);
        self.list_audit(ctx, &query).await
    }

    /// Names of who did it, to whom or what, and with which key, and of those the filter asks for, by id, as far as the reader
    /// may know them.
    pub async fn list_audit_names(
        &self,
        ctx: &OpContext,
        entries: &[AuditEntry],
        filter: &AuditFilter,
    ) -> Result<BTreeMap<String, String>> {
        let mut wanted = NamedIds::default();
        for entry in entries {
            wanted.note(&entry.actor.id);
            wanted.note(&entry.resource.id);
            wanted.note(entry.credential_id.as_deref().unwrap_or_default());
        }
        let asked = filter.actor_id.iter().chain(&filter.resource_id);
        asked.for_each(|(Term::Is(id) | Term::Not(id))| wanted.note(id));
        names(ctx, &*self.ports.directory, &wanted).await
    }
}

/// Whose rows the caller may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    All,
    Person(UserId),
    Principal(ServicePrincipalId),
}

fn reach(ctx: &OpContext) -> Result<Reach> {
    match (guard::authorize_rows(ctx, "audit.read")?, ctx.principal) {
        (Extent::All, _) => Ok(Reach::All),
        (Extent::Own, Some(principal)) => Ok(Reach::Principal(principal.id)),
        (Extent::Own, None) => ctx.user_id.map(Reach::Person).ok_or_else(Error::not_found),
    }
}

/// A query of what a service principal did; none where it asks for others alone.
fn of_principal(query: &AuditQuery, own: ServicePrincipalId) -> Option<AuditQuery> {
    let filter = &query.filter;
    let id = own.to_string();
    let asks_for_it = Term::pass(&filter.actor_kind, |kind| *kind == CallerKind::ServicePrincipal)
        && Term::pass(&filter.actor_id, |actor| *actor == id);
    let narrowed = AuditFilter {
        actor_kind: vec![Term::Is(CallerKind::ServicePrincipal)],
        actor_id: vec![Term::Is(id)],
        ..filter.clone()
    };
    asks_for_it.then(|| AuditQuery { filter: narrowed, ..query.clone() })
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
