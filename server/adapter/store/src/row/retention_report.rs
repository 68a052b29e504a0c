//! `retention_reports`

use entity::retention_report::{ActiveModel, Model};
use kernel::record::RetentionReport;
use sea_orm::ActiveValue::Set;
use types::id::RetentionReportId;

use super::{Corrupt, count, document, number, scope, text};

pub(crate) fn active(report: &RetentionReport) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(report.id.as_uuid()),
        tenant_id: Set(report.scope.tenant_id.as_uuid()),
        workspace_id: Set(report.scope.workspace_id.as_uuid()),
        started_at: Set(report.started_at),
        finished_at: Set(report.finished_at),
        claimed_by: Set(report.claimed_by),
        claimed_until: Set(report.claimed_until),
        purged: Set(text(&report.purged, "retention_reports.purged")?),
        version: Set(number(report.version)),
    })
}

pub(crate) fn record(row: Model) -> Result<RetentionReport, Corrupt> {
    Ok(RetentionReport {
        id: RetentionReportId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        started_at: row.started_at,
        finished_at: row.finished_at,
        claimed_by: row.claimed_by,
        claimed_until: row.claimed_until,
        purged: document(&row.purged, "retention_reports.purged")?,
        version: count(row.version),
    })
}
