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

    /// Names of the people who did it, by id, as far as the reader may know them.
    pub async fn list_actor_names(&self, ctx: &OpContext, entries: &[AuditEntry]) -> Result<BTreeMap<String, String>> {
        let people = entries.iter().filter(|entry| entry.actor.kind == CallerKind::User);
        let people = people.filter_map(|entry| entry.actor.id.parse().ok()).collect();
        names(ctx, &*self.ports.directory, people, Default::default()).await
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
