//! What a person's groups at the provider give them here, purely: roles and places in groups, given anew at each sign-in and taken
//! back once the provider gives them no more. What people gave by hand is left alone unless a group says otherwise; who owns a
//! workspace stays its owner, and nobody becomes one.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use types::id::{GroupId, UserId, WorkspaceId};
use types::identity::Role;

use crate::port::Roster;
use crate::record::{Group, GroupMember, Row, SsoConnection, SsoGiven, WorkspaceMember};

/// A workspace as it is before: everybody in it, and its groups with everybody who is or was in them.
pub(super) struct Place {
    pub(super) roster: Roster,
    pub(super) groups: Vec<(Group, Vec<GroupMember>)>,
}

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) rows: Vec<Row>,
    /// What the audit says, one line a change.
    pub(super) told: Vec<Value>,
}

/// What somebody's groups give by the mappings of a connection: of several roles in one workspace the strongest.
pub(super) fn given(connection: &SsoConnection, groups: &[String]) -> SsoGiven {
    let mut roles: BTreeMap<WorkspaceId, Role> = BTreeMap::new();
    let mut places = BTreeSet::new();
    for mapping in connection.mappings.iter().filter(|mapping| groups.contains(&mapping.group)) {
        let workspace_id = mapping.workspace_id.unwrap_or(connection.scope.workspace_id);
        if let Some(role) = mapping.role.filter(|role| *role != Role::Owner) {
            // The strongest comes first.
            roles.entry(workspace_id).and_modify(|present| *present = role.min(*present)).or_insert(role);
        }
        places.extend(mapping.group_id.map(|id| (workspace_id, id)));
    }
    SsoGiven { roles: roles.into_iter().collect(), groups: places.into_iter().collect() }
}

/// The workspaces that have to be read before it can be said what changes.
pub(super) fn touched(connection: &SsoConnection, before: &SsoGiven, now: &SsoGiven) -> BTreeSet<WorkspaceId> {
    let given = [before, now].into_iter();
    let ids = given.flat_map(|given| {
        given.roles.iter().map(|(id, _)| *id).chain(given.groups.iter().map(|(id, _)| *id)).collect::<Vec<_>>()
    });
    ids.chain([connection.scope.workspace_id]).collect()
}

/// What somebody's places become.
pub(super) struct Change<'a> {
    pub(super) connection: &'a SsoConnection,
    pub(super) user_id: UserId,
    /// What was given at the last sign-in.
    pub(super) before: &'a SsoGiven,
    /// What is given now.
    pub(super) now: &'a SsoGiven,
    /// Whether they come in for the first time, and may.
    pub(super) is_new: bool,
    pub(super) at: DateTime<Utc>,
}

impl Change<'_> {
    /// Everything that changes in one workspace.
    pub(super) fn plan(&self, place: &Place) -> Plan {
        let (mut plan, roster) = (Plan::default(), &place.roster);
        if roster.workspace.archived {
            return plan;
        }
        let id = roster.workspace.id;
        let seat = roster.seats.iter().find(|seat| seat.user.id == self.user_id);
        let present = seat.filter(|seat| seat.member.removed_at.is_none()).map(|seat| seat.member.role);
        let wish = self.wish(id, present, seat.is_some());
        if let Some(role) = wish {
            let member = WorkspaceMember {
                scope: crate::context::Scope { tenant_id: roster.tenant.id, workspace_id: id },
                user_id: self.user_id,
                role,
                joined_at: seat.filter(|_| present.is_some()).map_or(self.at, |seat| seat.member.joined_at),
                removed_at: None,
                version: seat.map_or(0, |seat| seat.member.version) + 1,
            };
            plan.rows.push(Row::WorkspaceMember(member));
            plan.told.push(json!({ "workspace_id": id, "before": present, "after": role }));
        }
        if present.is_some() || wish.is_some() {
            self.groups(place, &mut plan);
        }
        plan
    }

    /// The role somebody gets in a workspace, where it is another one than they have.
    fn wish(&self, id: WorkspaceId, present: Option<Role>, was_there: bool) -> Option<Role> {
        let find = |given: &SsoGiven| given.roles.iter().find(|(of, _)| *of == id).map(|(_, role)| *role);
        let wish = match (find(self.now), find(self.before), present) {
            (_, _, Some(Role::Owner)) => None,
            (Some(role), _, _) => Some(role),
            // What the provider gave and gives no more: the weaker of both is left.
            (None, Some(gave), Some(role)) if gave == role => Some(role.max(self.connection.jit_role)),
            (None, _, None) if !was_there && self.is_begun_in(id) => Some(self.connection.jit_role),
            _ => None,
        };
        wish.filter(|role| present != Some(*role))
    }

    /// Whether who is new begins in a workspace: the connection's own, and those of groups they get into.
    fn is_begun_in(&self, id: WorkspaceId) -> bool {
        let is_first = self.is_new && id == self.connection.scope.workspace_id;
        let by_group = self.connection.jit && self.now.groups.iter().any(|(of, _)| *of == id);
        is_first || by_group
    }

    fn groups(&self, place: &Place, plan: &mut Plan) {
        let id = place.roster.workspace.id;
        let of = |given: &SsoGiven| -> BTreeSet<GroupId> {
            given.groups.iter().filter(|(of, _)| *of == id).map(|(_, group)| *group).collect()
        };
        let (before, now) = (of(self.before), of(self.now));
        for (group, members) in &place.groups {
            let member = members.iter().find(|member| member.user_id == self.user_id);
            let is_in = member.is_some_and(|member| member.removed_at.is_none());
            let joins = now.contains(&group.id) && !is_in;
            let ends = is_in && !now.contains(&group.id) && before.contains(&group.id);
            if !joins && !ends {
                continue;
            }
            plan.rows.push(Row::GroupMember(GroupMember {
                scope: group.scope,
                group_id: group.id,
                user_id: self.user_id,
                removed_at: ends.then_some(self.at),
                version: member.map_or(0, |member| member.version) + 1,
            }));
            plan.told.push(json!({ "group_id": group.id, "in": !ends }));
        }
    }
}

#[cfg(test)]
mod tests {
    use types::id::{SsoConnectionId, TenantId, Uuid};
    use types::identity::{TenantRole, UnpricedPolicy, UserStatus};
    use types::run::Capture;
    use types::sso::SsoMapping;

    use super::*;
    use crate::context::Scope;
    use crate::port::Seat;
    use crate::record::{Tenant, User, Workspace};

    fn uuid(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn at() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap()
    }

    fn scope() -> Scope {
        Scope { tenant_id: TenantId::from_uuid(uuid(1)), workspace_id: WorkspaceId::from_uuid(uuid(2)) }
    }

    fn group_id() -> GroupId {
        GroupId::from_uuid(uuid(9))
    }

    fn connection(jit_role: Role) -> SsoConnection {
        let to = |group: &str, role: Option<Role>, group_id: Option<GroupId>| SsoMapping {
            group: group.to_owned(),
            role,
            workspace_id: Some(scope().workspace_id),
            group_id,
        };
        SsoConnection {
            id: SsoConnectionId::from_uuid(uuid(3)),
            scope: scope(),
            label: "idp".parse().unwrap(),
            issuer: "https://idp".to_owned(),
            client_id: "soit".to_owned(),
            secret: None,
            scopes: Vec::new(),
            allowed_domains: Vec::new(),
            group_claim: Some("groups".to_owned()),
            mappings: vec![
                to("devs", Some(Role::Dev), None),
                to("admins", Some(Role::Admin), None),
                to("kings", Some(Role::Owner), None),
                to("team", None, Some(group_id())),
            ],
            jit: true,
            jit_role,
            enforced: false,
            created_at: at(),
            deleted_at: None,
            version: 1,
        }
    }

    /// A workspace in which Ada has a role, or had one.
    fn place(role: Option<Role>, left: bool) -> Place {
        let user = User {
            id: UserId::from_uuid(uuid(4)),
            email: String::new(),
            email_key: String::new(),
            name: "Ada".parse().unwrap(),
            status: UserStatus::Active,
            is_operator: false,
            password_hash: None,
            default_password: false,
            created_at: at(),
            email_verified_at: None,
            closes_at: None,
            version: 1,
        };
        let seat = role.map(|role| Seat {
            member: WorkspaceMember {
                scope: scope(),
                user_id: user.id,
                role,
                joined_at: at(),
                removed_at: left.then(at),
                version: 5,
            },
            user,
            tenant_role: TenantRole::Member,
        });
        let name = || "w".parse::<types::name::Name>().unwrap();
        let slug = || "w".parse::<types::name::Slug>().unwrap();
        let roster = Roster {
            tenant: Tenant {
                id: scope().tenant_id,
                name: name(),
                slug: slug(),
                content_capture: Capture::Full,
                active: true,
                deleted_at: None,
                version: 1,
            },
            auth_epoch: 1,
            workspace: Workspace {
                id: scope().workspace_id,
                tenant_id: scope().tenant_id,
                name: name(),
                slug: slug(),
                archived: false,
                unpriced_call_policy: UnpricedPolicy::Allow,
                content_capture: Capture::Full,
                require_mfa_from: None,
                version: 1,
            },
            seats: seat.into_iter().collect(),
        };
        let group = Group {
            id: group_id(),
            scope: scope(),
            name: name(),
            name_key: String::new(),
            created_at: at(),
            deleted_at: None,
            version: 1,
        };
        Place { roster, groups: vec![(group, Vec::new())] }
    }

    /// The role Ada has afterwards, where it changes, and the places in groups that change.
    fn after(jit_role: Role, before: &[&str], now: &[&str], is_new: bool, place: &Place) -> (Option<Role>, usize) {
        let connection = connection(jit_role);
        let of =
            |groups: &[&str]| given(&connection, &groups.iter().map(|group| (*group).to_owned()).collect::<Vec<_>>());
        let (before, now) = (of(before), of(now));
        let user_id = UserId::from_uuid(uuid(4));
        let change = Change { connection: &connection, user_id, before: &before, now: &now, is_new, at: at() };
        let plan = change.plan(place);
        let role = plan.rows.iter().find_map(|row| match row {
            Row::WorkspaceMember(member) => Some(member.role),
            _ => None,
        });
        (role, plan.rows.iter().filter(|row| matches!(row, Row::GroupMember(_))).count())
    }

    #[test]
    fn who_is_new_gets_the_first_role_or_what_their_groups_give() {
        let nowhere = place(None, false);
        assert_eq!(after(Role::Viewer, &[], &[], true, &nowhere), (Some(Role::Viewer), 0));
        assert_eq!(after(Role::Viewer, &[], &["devs", "admins"], true, &nowhere), (Some(Role::Admin), 0));
        assert_eq!(after(Role::Viewer, &[], &["team"], true, &nowhere), (Some(Role::Viewer), 1));
        assert_eq!(after(Role::Viewer, &[], &[], false, &nowhere), (None, 0));
        assert_eq!(after(Role::Viewer, &[], &[], true, &place(Some(Role::Dev), true)), (None, 0), "who was removed");
    }

    #[test]
    fn a_role_follows_the_groups_and_goes_with_them() {
        let dev = place(Some(Role::Dev), false);
        assert_eq!(after(Role::Viewer, &["devs"], &["devs"], false, &dev), (None, 0));
        assert_eq!(after(Role::Viewer, &["devs"], &["admins"], false, &dev), (Some(Role::Admin), 0));
        assert_eq!(after(Role::Viewer, &["devs"], &[], false, &dev), (Some(Role::Viewer), 0));
        assert_eq!(after(Role::Admin, &["devs"], &[], false, &dev), (None, 0), "nobody rises by losing a group");
        assert_eq!(after(Role::Viewer, &[], &[], false, &dev), (None, 0), "what people gave stays");
        assert_eq!(after(Role::Viewer, &["admins"], &[], false, &dev), (None, 0), "what people changed stays");
    }

    #[test]
    fn nobody_becomes_an_owner_and_no_owner_is_unmade() {
        assert_eq!(after(Role::Viewer, &[], &["kings"], true, &place(None, false)), (Some(Role::Viewer), 0));
        let owner = place(Some(Role::Owner), false);
        assert_eq!(after(Role::Viewer, &["devs"], &["admins"], false, &owner), (None, 0));
        assert_eq!(after(Role::Viewer, &["devs"], &[], false, &owner), (None, 0));
    }

    #[test]
    fn places_in_groups_come_and_go() {
        let mut dev = place(Some(Role::Dev), false);
        assert_eq!(after(Role::Viewer, &[], &["team"], false, &dev), (None, 1));
        let user_id = UserId::from_uuid(uuid(4));
        let member = GroupMember { scope: scope(), group_id: group_id(), user_id, removed_at: None, version: 1 };
        dev.groups[0].1.push(member);
        assert_eq!(after(Role::Viewer, &["team"], &["team"], false, &dev), (None, 0));
        assert_eq!(after(Role::Viewer, &["team"], &[], false, &dev), (None, 1));
        assert_eq!(after(Role::Viewer, &[], &[], false, &dev), (None, 0), "where people put them they stay");
    }
}
