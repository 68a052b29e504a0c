//! Reading groups: everybody of the workspace sees them.

use types::access;
use types::id::GroupId;

use super::rules::{present, view};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::policy::guard::authorize;

impl Identity {
    /// The workspace's groups by name, each with who is in it.
    pub async fn list_groups(&self, ctx: &OpContext) -> Result<Vec<access::Group>> {
        authorize(ctx, "group.list")?;
        let groups = self.ports.subjects.list_groups(ctx.scope).await?;
        Ok(groups.iter().map(|(group, members)| view(group, present(members))).collect())
    }

    /// One of them.
    pub async fn find_group(&self, ctx: &OpContext, id: GroupId) -> Result<access::Group> {
        self.list_groups(ctx).await?.into_iter().find(|group| group.id == id).ok_or_else(Error::not_found)
    }
}
