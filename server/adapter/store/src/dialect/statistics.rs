//! What PostgreSQL's planner knows of young tables.
//!
//! It counts tables by itself once a minute at most. Until then it takes every index for as good as another: it looked
//! each run that a step refers to up among all runs of the workspace, by the index of traces, and kept to that plan.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, Statement};

/// Batches after which a process has young tables counted.
const TIMES: [u64; 3] = [64, 1_024, 16_384];

/// Tables with rows, in the schema of this connection, that nobody counted since they were small.
const YOUNG: &str = "SELECT quote_ident(relname) FROM pg_class \
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND reltuples < 1000 \
     AND pg_relation_size(oid) > 0 ORDER BY relname";

/// Whether a process that wrote `before` batches, and `more` now, is to have them counted.
pub(super) fn is_due(before: u64, more: usize) -> bool {
    TIMES.iter().any(|time| before < *time && *time <= before.saturating_add(more as u64))
}

/// Has young tables counted. Plans made before are made anew.
pub(super) async fn count_young(connection: &DatabaseConnection) -> Result<(), DbErr> {
    let asking = Statement::from_string(connection.get_database_backend(), YOUNG);
    let found = connection.query_all_raw(asking).await?;
    let names: Result<Vec<String>, DbErr> = found.iter().map(|row| row.try_get_by_index(0)).collect();
    let names = names?.join(", ");
    if names.is_empty() {
        return Ok(());
    }
    connection.execute_unprepared(&format!("ANALYZE {names}")).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_counted_when_a_process_passes_a_time_and_not_between() {
        assert!(!is_due(0, 63));
        assert!(is_due(0, 64));
        assert!(is_due(63, 1));
        assert!(!is_due(64, 1));
        assert!(is_due(1_000, 256));
        assert!(!is_due(16_384, 256));
    }
}
