//! What a tenant did as a whole.

use leptos::prelude::*;
use types::audit::AuditEntry;
use types::id::UserId;
use types::name::Name;
use types::page::Page;

use super::Here;
use crate::component::{Moment, Pager, counted, sheet};
use crate::format;
use crate::page::audit::actor;
use crate::text::text;

pub(super) fn view(here: Here, page: Page<AuditEntry>, names: Vec<(UserId, Name)>) -> AnyView {
    let text = text();
    let audit = &text.audit;
    let row = |entry: &AuditEntry| {
        let name = names.iter().find(|(id, _)| id.to_string() == entry.actor.id).map(|(_, name)| name.to_string());
        let object = format!("{} {}", (audit.object)(&entry.resource.kind), format::short_id(&entry.resource.id));
        vec![
            entry.event_type.clone().into_any(),
            (text.word.outcome)(entry.outcome).into_any(),
            actor(entry, name.as_ref()).into_any(),
            object.into_any(),
            view! { <Moment at=entry.occurred_at /> }.into_any(),
        ]
    };
    let heads = vec![audit.event, audit.outcome, audit.actor, audit.resource, audit.when];
    let params = here.params.get_untracked();
    let newest = params.get("after").is_some().then(|| params.clone().without(&["after"]).here());
    let older = page.next_cursor.as_ref().map(|cursor| params.with("after", cursor).here());
    let pager = (newest.is_some() || older.is_some())
        .then(|| view! { <Pager info=counted(page.items.len()) newest=newest older=older /> });
    let rows = page.items.iter().map(row).collect();
    view! {
        {sheet(audit.title, heads, rows)}
        {pager}
    }
    .into_any()
}
