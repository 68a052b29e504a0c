//! Making a group.

use serde_json::json;
use types::access::{self, CreateGroup};
use types::problem::Code;

use super::rules::{self, MOST_GROUPS, check_name, facts, members, present};
use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen};
use crate::ledger::Audit;
use crate::record::{Group, GroupMember, Row};
use crate::view;

impl Identity {
    /// Makes a group. The same form sent again finds it.
    pub async fn create_group(&self, ctx: &OpContext, command: &CreateGroup) -> Result<access::Group> {
        let name = normal_name(&command.name)?;
        let draft = Group {
            id: ctx.new_id(&*self.ports.ids, "group.create", command)?,
            scope: ctx.scope,
            name_key: view::key(&name),
            name,
            created_at: ctx.now,
            deleted_at: None,
            version: 1,
        };
        let create = |ctx: &OpContext, seen: &Seen| {
            if let Some((made, members)) = seen.groups.iter().find(|(group, _)| group.id == draft.id) {
                return Ok(Change::to(rules::view(made, present(members))));
            }
            let members = members(&seen.roster, &command.members)?;
            check_name(seen, &draft)?;
            if seen.groups.len() >= MOST_GROUPS {
                let detail = format!("the workspace has {MOST_GROUPS} groups, delete one first");
                return Err(Error::new(Code::QuotaExceeded, detail));
            }
            let audit = Audit::done(ctx, &*self.ports.ids, "group.created", "group.create", ("group", draft.id))
                .with_payload(json!({ "after": facts(&draft, &members) }));
            let place = |user_id| {
                let (scope, group_id) = (draft.scope, draft.id);
                Row::GroupMember(GroupMember { scope, group_id, user_id, removed_at: None, version: 1 })
            };
            let change = Change::to(rules::view(&draft, members.iter().copied())).row(Row::Group(draft.clone()));
            Ok(members.into_iter().map(place).fold(change, Change::row).with([audit.into()]))
        };
        self.change_roster(ctx, "group.create", Reading::Subjects, create).await
    }
}
