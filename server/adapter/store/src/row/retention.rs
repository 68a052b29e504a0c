//! `retention`

use entity::retention::{ActiveModel, Model};
use kernel::record::Retention;
use sea_orm::ActiveValue::Set;
use types::retention::{Keep, KeptFor};

use super::{count, number, scope};

pub(crate) fn active(retention: &Retention) -> ActiveModel {
    let days = |keep: Keep| Set(keep.days().map(i64::from));
    let KeptFor { content, runs, costs, audit, events } = retention.kept_for;
    ActiveModel {
        workspace_id: Set(retention.scope.workspace_id.as_uuid()),
        tenant_id: Set(retention.scope.tenant_id.as_uuid()),
        content_days: days(content),
        runs_days: days(runs),
        costs_days: days(costs),
        audit_days: days(audit),
        events_days: days(events),
        updated_at: Set(retention.updated_at),
        version: Set(number(retention.version)),
    }
}

pub(crate) fn record(row: &Model) -> Retention {
    // What does not fit is kept for good.
    let keep = |days: Option<i64>| Keep::of_days(days.and_then(|days| u32::try_from(days).ok()));
    Retention {
        scope: scope(row.tenant_id, row.workspace_id),
        kept_for: KeptFor {
            content: keep(row.content_days),
            runs: keep(row.runs_days),
            costs: keep(row.costs_days),
            audit: keep(row.audit_days),
            events: keep(row.events_days),
        },
        updated_at: row.updated_at,
        version: count(row.version),
    }
}
