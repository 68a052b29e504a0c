//! Changing a group's name, and who is in it. What is granted to it reaches who joins, and leaves who goes, at once.

use std::collections::BTreeSet;

use serde_json::json;
use types::access::{self, UpdateGroup};
use types::id::{GroupId, UserId};

use super::rules::{self, Whole, check_name, facts, find, members, present};
use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::Result;
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen};
use crate::ledger::Audit;
use crate::record::{Group, GroupMember, Row};
use crate::view;

impl Identity {
    /// Changes a group that is still at `version`.
    pub async fn update_group(
        &self,
        ctx: &OpContext,
        id: GroupId,
        version: Option<u64>,
        command: &UpdateGroup,
    ) -> Result<access::Group> {
        let update = |ctx: &OpContext, seen: &Seen| {
            let whole = find(seen, id)?;
            let (group, places) = whole;
            let mut wish = Group { version: group.version + 1, ..group.clone() };
            if let Some(name) = &command.name {
                wish.name = normal_name(name)?;
                wish.name_key = view::key(&wish.name);
            }
            let before: BTreeSet<UserId> = present(places).collect();
            let after = match &command.members {
                Some(given) => members(&seen.roster, given)?,
                None => before.clone(),
            };
            let (told, asked) = (facts(group, &before), facts(&wish, &after));
            if !ctx.must_change(version, group.version, &told, &asked)? || told == asked {
                return Ok(Change::to(rules::view(group, before)));
            }
            check_name(seen, &wish)?;
            let audit = Audit::done(ctx, &*self.ports.ids, "group.updated", "group.update", ("group", id))
                .with_payload(json!({ "before": told, "after": asked }));
            let moved = moved(ctx, whole, &after);
            let change = Change::to(rules::view(&wish, after)).row(Row::Group(wish));
            Ok(moved.into_iter().fold(change, Change::row).with([audit.into()]))
        };
        self.change_roster(ctx, "group.update", Reading::Subjects, update).await
    }
}

/// The rows of who joins and who goes.
fn moved(ctx: &OpContext, (group, places): &Whole, after: &BTreeSet<UserId>) -> Vec<Row> {
    let known = places.iter().filter_map(|place| {
        let is_in = after.contains(&place.user_id);
        let removed_at = (!is_in).then_some(ctx.now);
        let moves = is_in != place.removed_at.is_none();
        moves.then(|| GroupMember { removed_at, version: place.version + 1, ..place.clone() })
    });
    let is_known = |id: &&UserId| places.iter().any(|place| place.user_id == **id);
    let new = after.iter().filter(|id| !is_known(id)).map(|id| GroupMember {
        scope: group.scope,
        group_id: group.id,
        user_id: *id,
        removed_at: None,
        version: 1,
    });
    known.chain(new).map(Row::GroupMember).collect()
}
