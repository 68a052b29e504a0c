//! Reading grants: developers and viewers see those they gave and those that reach them.

use std::collections::BTreeMap;

use types::access::{self, GrantSubject};
use types::id::{GrantId, GroupId, ModelId};

use super::resource::Resource;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::group::present;
use crate::policy::guard::{Extent, authorize, authorize_rows};
use crate::record::{Grant, Group, GroupMember};

/// What people call the subjects, things and givers of grants, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantNames(pub BTreeMap<String, String>);

impl Identity {
    /// The grants one may see, newest first, those included that are over by themselves.
    pub async fn list_grants(&self, ctx: &OpContext) -> Result<Vec<access::Grant>> {
        let extent = authorize_rows(ctx, "grant.list")?;
        let grants = self.ports.subjects.list_grants(ctx.scope).await?;
        let groups = match extent {
            Extent::All => Vec::new(),
            Extent::Own => own_groups(ctx, &self.ports.subjects.list_groups(ctx.scope).await?),
        };
        Ok(grants.iter().filter(|grant| extent == Extent::All || is_own(ctx, grant, &groups)).map(view).collect())
    }

    /// One of them.
    pub async fn find_grant(&self, ctx: &OpContext, id: GrantId) -> Result<access::Grant> {
        self.list_grants(ctx).await?.into_iter().find(|grant| grant.id == id).ok_or_else(Error::not_found)
    }

    /// The models that can be granted, with their refs, oldest first.
    pub async fn list_grantable_models(&self, ctx: &OpContext) -> Result<Vec<(ModelId, String)>> {
        authorize(ctx, "model.list")?;
        let snapshot = self.set_up(ctx).await?;
        Ok(snapshot.models.iter().map(|model| (model.id, model.model_ref.clone())).collect())
    }

    /// What people call what these grants speak of.
    pub async fn name_grants(&self, ctx: &OpContext, grants: &[access::Grant]) -> Result<GrantNames> {
        authorize(ctx, "member.list")?;
        let mut names = BTreeMap::new();
        if grants.is_empty() {
            return Ok(GrantNames(names));
        }
        let roster = self.ports.people.roster(ctx.scope).await?.ok_or_else(Error::not_found)?;
        names.extend(roster.seats.iter().map(|seat| (seat.user.id.to_string(), seat.user.name.to_string())));
        for group in self.list_groups(ctx).await? {
            names.insert(group.id.to_string(), group.name.to_string());
        }
        for principal in self.ports.subjects.list_principals(ctx.scope).await? {
            names.insert(principal.id.to_string(), principal.name.to_string());
        }
        let snapshot = self.set_up(ctx).await?;
        for grant in grants {
            if let Some(resource) = Resource::find(&snapshot, grant.resource_type, &grant.resource_id) {
                names.insert(resource.id, resource.name);
            }
        }
        Ok(GrantNames(names))
    }
}

/// The groups the caller is in.
pub(super) fn own_groups(ctx: &OpContext, groups: &[(Group, Vec<GroupMember>)]) -> Vec<GroupId> {
    let Some(user_id) = ctx.user_id else { return Vec::new() };
    let mine = groups.iter().filter(|(_, members)| present(members).any(|id| id == user_id));
    mine.map(|(group, _)| group.id).collect()
}

/// Whether the caller gave it, or it reaches them.
pub(super) fn is_own(ctx: &OpContext, grant: &Grant, groups: &[GroupId]) -> bool {
    let reaches = match grant.subject {
        GrantSubject::User(id) => ctx.user_id == Some(id),
        GrantSubject::Group(id) => groups.contains(&id),
        GrantSubject::Principal(id) => ctx.principal.is_some_and(|principal| principal.id == id),
    };
    reaches || ctx.user_id == Some(grant.granted_by)
}

/// A grant as the outside sees it.
pub(super) fn view(grant: &Grant) -> access::Grant {
    access::Grant {
        id: grant.id,
        subject: grant.subject,
        resource_type: grant.resource_type,
        resource_id: grant.resource_id.clone(),
        actions: grant.actions.clone(),
        expires_at: grant.expires_at,
        granted_by: grant.granted_by,
        created_at: grant.created_at,
    }
}
