//! What one may do now: asked by the console and by clients that hide what would be refused anyway.

use types::access::ResourceType;
use types::identity::Permissions;

use super::Identity;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::guard::{self, authorize};

impl Identity {
    /// The actions allowed now, fresh proof aside: all of them, those on one kind of thing, or those on one thing. What is
    /// allowed on one's own rows only counts for a key of one's own; one that may not be seen is not there.
    pub async fn list_permissions(
        &self,
        ctx: &OpContext,
        resource_type: Option<&str>,
        resource_id: Option<&str>,
    ) -> Result<Permissions> {
        authorize(ctx, "me.permissions")?;
        let mut permissions = match (resource_type, resource_id) {
            (None, Some(_)) => return Err(Error::invalid("resource_type", "must say what `resource_id` names")),
            (Some("api_key"), Some(id)) => {
                let id = id.parse().map_err(|_| Error::not_found())?;
                guard::permissions_on(ctx, self.visible_key(ctx, id).await?.1)
            }
            (Some(kind), Some(id)) if kind.parse::<ResourceType>().is_ok() => {
                let kind = kind.parse().map_err(|_| Error::not_found())?;
                self.find_resource(ctx, kind, id).await?;
                guard::permissions_with(ctx, kind, id)
            }
            // Other rows of this version belong to the whole workspace.
            _ => guard::permissions(ctx),
        };
        if let Some(resource) = resource_type {
            permissions.actions.retain(|action| action.split_once('.').is_some_and(|(known, _)| known == resource));
        }
        Ok(permissions)
    }
}
