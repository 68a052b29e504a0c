//! Granting something.

use serde_json::json;
use types::access::{self, CreateGrant, GrantSubject};
use types::problem::Code;

use super::read::view;
use super::resource::Resource;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen};
use crate::ledger::Audit;
use crate::policy::granted::grantable;
use crate::policy::guard::{Extent, authorize_on, authorize_rows, role_required};
use crate::record::{Grant, Row};

/// Most grants of a workspace.
const MOST_GRANTS: usize = 10_000;

impl Identity {
    /// Grants something on one thing. The same form sent again finds it.
    pub async fn create_grant(&self, ctx: &OpContext, command: &CreateGrant) -> Result<access::Grant> {
        authorize_rows(ctx, "grant.create")?;
        let actions = check(ctx, command)?;
        let resource = self.find_resource(ctx, command.resource_type, &command.resource_id).await?;
        let draft = Grant {
            id: ctx.new_id(&*self.ports.ids, "grant.create", command)?,
            scope: ctx.scope,
            subject: command.subject,
            resource_type: command.resource_type,
            resource_id: resource.id.clone(),
            actions,
            expires_at: command.expires_at,
            granted_by: ctx.answerable().ok_or_else(Error::not_found)?,
            created_at: ctx.now,
            revoked_at: None,
            version: 1,
        };
        let create = |ctx: &OpContext, seen: &Seen| self.decide_grant(ctx, seen, &draft, &resource);
        self.change_roster(ctx, "grant.create", Reading::Subjects, create).await
    }

    fn decide_grant(
        &self,
        ctx: &OpContext,
        seen: &Seen,
        draft: &Grant,
        resource: &Resource,
    ) -> Result<Change<access::Grant>> {
        check_may_grant(ctx, draft, resource)?;
        if let Some(made) = seen.grants.iter().find(|grant| grant.id == draft.id) {
            return Ok(Change::to(view(made)));
        }
        if !is_there(seen, draft.subject) {
            return Err(Error::invalid("subject", "names no member, group or service principal of the workspace"));
        }
        if seen.grants.iter().any(|other| overlaps(other, draft)) {
            return Err(Error::new(Code::AlreadyExists, "this is granted to them already, revoke that first")
                .with_field("actions", "are granted already"));
        }
        if seen.grants.len() >= MOST_GRANTS {
            let detail = format!("the workspace has {MOST_GRANTS} grants, use groups or revoke some");
            return Err(Error::new(Code::QuotaExceeded, detail));
        }
        let audit = Audit::done(ctx, &*self.ports.ids, "grant.created", "grant.create", ("grant", draft.id))
            .with_payload(json!({ "after": view(draft), "resource": resource.name }));
        Ok(Change::to(view(draft)).row(Row::Grant(draft.clone())).with([audit.into()]))
    }
}

/// What is asked for, each action once.
fn check(ctx: &OpContext, command: &CreateGrant) -> Result<Vec<access::GrantAction>> {
    let known = grantable(command.resource_type);
    let words: Vec<String> = known.iter().map(|(action, _)| format!("`{action}`")).collect();
    if command.actions.is_empty() {
        return Err(Error::invalid("actions", format!("name at least one of {}", words.join(", "))));
    }
    let is_known = |action: &access::GrantAction| known.iter().any(|(granted, _)| granted == action);
    if let Some(index) = command.actions.iter().position(|action| !is_known(action)) {
        let message = format!("cannot be granted of a `{}`, only {} can", command.resource_type, words.join(", "));
        return Err(Error::invalid(format!("actions[{index}]"), message));
    }
    if command.expires_at.is_some_and(|end| end <= ctx.now) {
        return Err(Error::invalid("expires_at", "must lie in the future, or be left out"));
    }
    let mut actions = command.actions.clone();
    actions.sort_unstable();
    actions.dedup();
    Ok(actions)
}

/// Whether the caller may grant this on this thing: nobody gives what they lack.
fn check_may_grant(ctx: &OpContext, draft: &Grant, resource: &Resource) -> Result<()> {
    let extent = authorize_rows(ctx, "grant.create")?;
    let is_own = resource.created_by.is_some_and(|creator| ctx.user_id == Some(creator));
    if extent == Extent::Own && !is_own {
        return Err(role_required(ctx, "grant.create"));
    }
    for (granted, action) in grantable(draft.resource_type) {
        if draft.actions.contains(granted) {
            authorize_on(ctx, action, draft.resource_type, &resource.id)?;
        }
    }
    let list = ctx.api_key().and_then(|key| key.allowed_models.as_ref());
    if list.is_some_and(|list| !list.contains(&resource.name)) {
        return Err(Error::new(Code::ModelNotAllowed, "the key may not call this model, so it cannot grant it"));
    }
    Ok(())
}

fn is_there(seen: &Seen, subject: GrantSubject) -> bool {
    match subject {
        GrantSubject::User(id) => seen.roster.member(id).is_some(),
        GrantSubject::Group(id) => seen.groups.iter().any(|(group, _)| group.id == id),
        GrantSubject::Principal(id) => seen.principals.iter().any(|principal| principal.id == id),
    }
}

/// Whether a grant in force gives part of what another one is to give.
fn overlaps(known: &Grant, draft: &Grant) -> bool {
    let same = (known.subject, known.resource_type, &known.resource_id)
        == (draft.subject, draft.resource_type, &draft.resource_id);
    let in_force = known.expires_at.is_none_or(|end| draft.created_at < end);
    same && in_force && known.actions.iter().any(|action| draft.actions.contains(action))
}
