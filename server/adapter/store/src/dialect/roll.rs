//! Joining rows of counters to coarser ones.

use sea_orm::{DbBackend, Statement, Value};

/// The statement that adds rows of `fine` seconds before a time to those of an hour or a day.
pub(crate) fn joined(backend: DbBackend, fine: i64, coarse: i64, before: Value) -> Statement {
    let is_day = coarse == kernel::ledger::DAY;
    let (start, places) = match backend {
        DbBackend::Sqlite if is_day => ("substr(starts_at, 1, 10) || 'T00:00:00.000000Z'", ["?", "?", "?"]),
        DbBackend::Sqlite => ("substr(starts_at, 1, 13) || ':00:00.000000Z'", ["?", "?", "?"]),
        _ if is_day => ("date_trunc('day', starts_at, 'UTC')", ["$1", "$2", "$3"]),
        _ => ("date_trunc('hour', starts_at, 'UTC')", ["$1", "$2", "$3"]),
    };
    let [coarse_place, fine_place, before_place] = places;
    let sql = format!(
        "INSERT INTO run_counts (tenant_id, workspace_id, starts_at, seconds, mode, source, entry, measure, n)
         SELECT tenant_id, workspace_id, {start}, CAST({coarse_place} AS BIGINT), mode, source, entry, measure,
                CAST(SUM(n) AS BIGINT)
         FROM run_counts WHERE seconds = {fine_place} AND starts_at < {before_place}
         GROUP BY tenant_id, workspace_id, 3, mode, source, entry, measure
         ORDER BY workspace_id, 3, mode, source, entry, measure
         ON CONFLICT (workspace_id, starts_at, seconds, mode, source, entry, measure)
         DO UPDATE SET n = run_counts.n + excluded.n"
    );
    Statement::from_sql_and_values(backend, sql, [coarse.into(), fine.into(), before])
}
