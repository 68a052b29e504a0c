//! What the console calls a workspace in its addresses. Short names are unique in a tenant alone: where several workspaces of a
//! person have one, each is called by its id instead, which nobody can choose.

use types::id::WorkspaceId;
use types::name::Slug;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;

/// What an address of the console says of its workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// Which one it is, or that it is none.
    Clearly,
    /// A name that several have; the one used last is meant, else the one beside it in its tenant.
    AsUsed(WorkspaceId),
    /// A name that several have, all of them elsewhere: the person chooses.
    Unclear,
}

impl Identity {
    /// What an address means to who follows it.
    pub async fn called(&self, ctx: &OpContext, called: &Slug) -> Result<Called> {
        let found = self.resolved_of(ctx).await?;
        let all = || found.account.workspaces.iter().map(|(workspace, _)| workspace);
        if id_called(called).is_some_and(|id| all().any(|workspace| workspace.id == id)) {
            return Ok(Called::Clearly);
        }
        let named = || all().filter(move |workspace| workspace.slug == *called);
        if named().count() < 2 {
            return Ok(Called::Clearly);
        }
        let last = named().find(|workspace| workspace.id == ctx.scope.workspace_id);
        let beside = || named().find(|workspace| workspace.tenant_id == ctx.scope.tenant_id);
        Ok(last.or_else(beside).map_or(Called::Unclear, |workspace| Called::AsUsed(workspace.id)))
    }
}

/// A workspace's own address, whatever others are called.
pub fn address(id: WorkspaceId) -> Result<Slug> {
    let text = id.to_string();
    let own = text.trim_start_matches(WorkspaceId::PREFIX).trim_start_matches('_');
    own.parse().map_err(Error::internal)
}

/// The workspace whose own address it is.
pub(super) fn id_called(called: &Slug) -> Option<WorkspaceId> {
    format!("{}_{called}", WorkspaceId::PREFIX).parse().ok()
}

#[cfg(test)]
mod tests {
    use types::id::Uuid;

    use super::*;

    #[test]
    fn the_address_of_a_workspace_leads_to_it() {
        for number in [0, 1, u128::MAX] {
            let id = WorkspaceId::from_uuid(Uuid::from_u128(number));
            assert_eq!(id_called(&address(id).expect("an address")), Some(id));
        }
        assert_eq!(id_called(&"default".parse().expect("a slug")), None);
    }
}
