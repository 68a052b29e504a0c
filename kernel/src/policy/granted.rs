//! What can be granted, and what was granted to somebody: asked in memory, without a query.
//!
//! Each kind of thing stands in [`KINDS`] once, with what a grant of it allows. Invariant: a grant that is over allows
//! nothing, however long it is remembered; and no grant lifts a role above what [`gains`] says.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use types::access::{GrantAction, ResourceType};
use types::id::{GrantId, WorkspaceId};
use types::identity::Role;

use crate::record::Grant;

/// Of each kind of thing: what can be granted, and which action that is in the matrix.
const KINDS: &[(ResourceType, &[(GrantAction, &str)])] =
    &[(ResourceType::Model, &[(GrantAction::Execute, "model.call")])];

/// What can be granted of a kind of thing, with the action it stands for.
pub fn grantable(kind: ResourceType) -> &'static [(GrantAction, &'static str)] {
    KINDS.iter().find(|(known, _)| *known == kind).map_or(&[], |(_, actions)| actions)
}

/// The grant that an action of the matrix can be allowed by, if there is such a thing.
pub fn granting(action: &str) -> Option<(ResourceType, GrantAction)> {
    let of_kind = |(kind, actions): &(ResourceType, &[(GrantAction, &str)])| {
        actions.iter().find(|(_, known)| *known == action).map(|(granted, _)| (*kind, *granted))
    };
    KINDS.iter().find_map(of_kind)
}

/// Whether a role can gain an action by a grant: a viewer to read and use, a developer to change and judge as well. The roles
/// above them need none.
pub fn gains(role: Role, action: GrantAction) -> bool {
    match action {
        GrantAction::Read | GrantAction::Execute | GrantAction::Query => true,
        GrantAction::Update | GrantAction::Review => role <= Role::Dev,
    }
}

/// What was granted to somebody, in every workspace they belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Granted(HashMap<WorkspaceId, HashMap<String, Vec<Given>>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    id: GrantId,
    kind: ResourceType,
    actions: Vec<GrantAction>,
    expires_at: Option<DateTime<Utc>>,
}

impl Given {
    fn allows(&self, kind: ResourceType, action: GrantAction, now: DateTime<Utc>) -> bool {
        self.kind == kind && self.actions.contains(&action) && self.expires_at.is_none_or(|end| now < end)
    }
}

impl Granted {
    /// All of these, which are somebody's.
    pub fn new(grants: impl IntoIterator<Item = Grant>) -> Self {
        let mut granted = Self::default();
        for grant in grants {
            let given =
                Given { id: grant.id, kind: grant.resource_type, actions: grant.actions, expires_at: grant.expires_at };
            let things = granted.0.entry(grant.scope.workspace_id).or_default();
            things.entry(grant.resource_id).or_default().push(given);
        }
        granted
    }

    /// The grant that allows an action on one thing now, if one does.
    pub fn find(
        &self,
        workspace: WorkspaceId,
        (kind, action): (ResourceType, GrantAction),
        id: &str,
        now: DateTime<Utc>,
    ) -> Option<GrantId> {
        let given = self.0.get(&workspace)?.get(id)?;
        given.iter().find(|given| given.allows(kind, action, now)).map(|given| given.id)
    }

    /// Whether an action is allowed on anything now.
    pub fn has_any(
        &self,
        workspace: WorkspaceId,
        (kind, action): (ResourceType, GrantAction),
        now: DateTime<Utc>,
    ) -> bool {
        let things = self.0.get(&workspace).into_iter().flatten();
        things.flat_map(|(_, given)| given).any(|given| given.allows(kind, action, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::rbac::{self, Cell};

    #[test]
    fn what_can_be_granted_is_what_the_matrix_gives_by_grant() {
        for (kind, actions) in KINDS {
            assert_eq!(grantable(*kind), *actions);
            for (granted, action) in *actions {
                let rule = rbac::find(action).unwrap_or_else(|| panic!("{action} has no row"));
                assert!(Role::ALL.iter().any(|role| rule.of_role(*role) == Cell::Granted), "{action}");
                assert_eq!(granting(action), Some((*kind, *granted)));
            }
        }
        assert_eq!(granting("model.update"), None);
        assert!(ResourceType::ALL.iter().all(|kind| !grantable(*kind).is_empty()));
    }

    #[test]
    fn a_viewer_gains_no_power_to_change() {
        assert!(gains(Role::Viewer, GrantAction::Execute) && gains(Role::Dev, GrantAction::Update));
        assert!(!gains(Role::Viewer, GrantAction::Update) && !gains(Role::Viewer, GrantAction::Review));
    }
}
