//! The things that can be granted, found by kind and id.

use types::access::ResourceType;
use types::id::UserId;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::port::Snapshot;

/// A thing that can be granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::identity) struct Resource {
    /// Its id, as grants keep it.
    pub(in crate::identity) id: String,
    /// How people call it.
    pub(in crate::identity) name: String,
    /// Who made it; none where that is not kept, so that nobody's role makes it their own.
    pub(in crate::identity) created_by: Option<UserId>,
}

impl Resource {
    /// Finds it in what the workspace has set up.
    pub(in crate::identity) fn find(snapshot: &Snapshot, kind: ResourceType, id: &str) -> Option<Self> {
        match kind {
            ResourceType::Model => {
                let id = id.parse().ok()?;
                let model = snapshot.models.iter().find(|model| model.id == id)?;
                Some(Self { id: model.id.to_string(), name: model.model_ref.clone(), created_by: None })
            }
        }
    }
}

impl Identity {
    /// What the workspace has set up, at least as new as the caller's own rights.
    pub(in crate::identity) async fn set_up(&self, ctx: &OpContext) -> Result<std::sync::Arc<Snapshot>> {
        let snapshot = self.ports.catalog.snapshot(ctx.scope).await?.ok_or_else(Error::not_found)?;
        if snapshot.auth_epoch >= ctx.auth_epoch {
            return Ok(snapshot);
        }
        self.ports.catalog.forget(ctx.scope);
        self.ports.catalog.snapshot(ctx.scope).await?.ok_or_else(Error::not_found)
    }

    /// One thing of the workspace; those of others are not there.
    pub(in crate::identity) async fn find_resource(
        &self,
        ctx: &OpContext,
        kind: ResourceType,
        id: &str,
    ) -> Result<Resource> {
        let snapshot = self.set_up(ctx).await?;
        Resource::find(&snapshot, kind, id).ok_or_else(Error::not_found)
    }
}
