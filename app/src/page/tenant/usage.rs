//! What the workspaces of a tenant used by day. Currencies are never added together.

use leptos::prelude::*;
use types::id::WorkspaceId;
use types::name::Name;
use types::usage::{DailyUsage, UsageDay};

use crate::component::{Empty, Icon, MoneyList, sheet};
use crate::format;
use crate::text::text;

pub(super) fn view(usage: DailyUsage, names: Vec<(WorkspaceId, Name)>) -> AnyView {
    let text = &text().tenant;
    if usage.items.is_empty() {
        return view! { <Empty icon=Icon::Runs title=text.no_usage text=text.no_usage_text /> }.into_any();
    }
    let row = |day: UsageDay| {
        let key = day.key.unwrap_or_default();
        let name = names.iter().find(|(id, _)| id.to_string() == key).map(|(_, name)| name.to_string());
        vec![
            day.day.to_string().into_any(),
            name.unwrap_or_else(|| format::short_id(&key)).into_any(),
            format::count(day.calls).into_any(),
            format::count(day.failed).into_any(),
            format::count(day.tokens).into_any(),
            view! { <MoneyList amounts=day.cost unpriced=day.unpriced estimated={day.estimated > 0} /> }.into_any(),
        ]
    };
    let heads = vec![text.day, text.workspace, text.calls, text.failed, text.tokens, text.cost];
    // The newest day first.
    sheet((text.section)("usage"), heads, usage.items.into_iter().rev().map(row).collect())
}
