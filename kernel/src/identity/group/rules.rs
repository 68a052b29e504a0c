//! What a group may be, purely.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use types::access;
use types::id::{GroupId, UserId};
use types::problem::Code;

use crate::error::{Error, Result};
use crate::identity::member::Seen;
use crate::port::Roster;
use crate::record::{Group, GroupMember};

/// Most groups of a workspace.
pub(super) const MOST_GROUPS: usize = 500;
/// Most members of a group.
const MOST_MEMBERS: usize = 200;

/// A group with everybody who is or was in it.
pub(super) type Whole = (Group, Vec<GroupMember>);

/// One of the workspace's.
pub(super) fn find(seen: &Seen, id: GroupId) -> Result<&Whole> {
    seen.groups.iter().find(|(group, _)| group.id == id).ok_or_else(Error::not_found)
}

/// Who is to be in a group: members of the workspace, each once.
pub(super) fn members(roster: &Roster, given: &[UserId]) -> Result<BTreeSet<UserId>> {
    if given.len() > MOST_MEMBERS {
        return Err(Error::invalid("members", format!("has more than {MOST_MEMBERS} members")));
    }
    match given.iter().position(|id| roster.member(*id).is_none()) {
        Some(index) => Err(Error::invalid(format!("members[{index}]"), "is no member of the workspace")),
        None => Ok(given.iter().copied().collect()),
    }
}

/// Who is in it.
pub(in crate::identity) fn present(members: &[GroupMember]) -> impl Iterator<Item = UserId> {
    members.iter().filter(|member| member.removed_at.is_none()).map(|member| member.user_id)
}

/// Whether no other group has the name.
pub(super) fn check_name(seen: &Seen, group: &Group) -> Result<()> {
    let mut others = seen.groups.iter().filter(|(other, _)| other.id != group.id);
    if others.all(|(other, _)| other.name_key != group.name_key) {
        return Ok(());
    }
    Err(Error::new(Code::AlreadyExists, "there is a group of this name, letters of any case being the same")
        .with_field("name", "is taken, choose another"))
}

/// All that can be changed.
pub(super) fn facts(group: &Group, members: &BTreeSet<UserId>) -> Value {
    json!({ "name": group.name, "members": members })
}

/// A group as the outside sees it.
pub(super) fn view(group: &Group, members: impl IntoIterator<Item = UserId>) -> access::Group {
    access::Group {
        id: group.id,
        name: group.name.clone(),
        members: members.into_iter().collect(),
        created_at: group.created_at,
        version: group.version,
    }
}
