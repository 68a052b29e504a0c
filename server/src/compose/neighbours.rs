//! Other processes on the same database: allowed only with settings that fit several.

use std::sync::Arc;
use std::time::Duration;

use adapter_store::Store;
use anyhow::bail;
use chrono::TimeDelta;
use kernel::ledger::Fence;
use kernel::port::{Clock, ProcessRow, Processes};
use kernel::reaper::SILENCE;

use crate::config::{Config, StoreDown};

/// Time between two looks at whether a neighbour's heart beats.
const LOOK: Duration = Duration::from_secs(1);
/// Clocks further apart than this are worth a word.
const SKEW: TimeDelta = TimeDelta::seconds(5);

/// Refuses to start beside living neighbours, unless the settings fit. A neighbour that died a moment ago still has its
/// row; it is waited for until its heart beats or it counts as dead.
pub(super) async fn check(
    processes: &Arc<dyn Processes>,
    clock: &Arc<dyn Clock>,
    own: Fence,
    config: &Config,
) -> anyhow::Result<()> {
    let counts = config.ledger.redis_url.is_some() || config.ledger.limits_on_store_down == StoreDown::Local;
    if counts && config.storage.is_shared() {
        return Ok(());
    }
    let first = others(processes, own).await?;
    while !first.is_empty() {
        let now = others(processes, own).await?;
        if now.is_empty() {
            break;
        }
        let beats = |row: &ProcessRow| {
            first.iter().find(|known| known.fence == row.fence).is_none_or(|known| known.beat_at != row.beat_at)
        };
        if now.iter().any(beats) {
            if !counts {
                bail!(
                    "redis_required: another process runs on this database; set REDIS_URL, the same for all, or \
                     LIMITS_ON_STORE_DOWN=local to let each count its own minute limits"
                );
            }
            bail!(
                "another process runs on this database; set STORAGE_SHARED=true once both see the same folder of \
                 artifacts, or keep them on an S3 server"
            );
        }
        tracing::info!("waiting for a process that may be dead");
        clock.sleep(LOOK).await;
        processes.bury(SILENCE).await?;
    }
    Ok(())
}

async fn others(processes: &Arc<dyn Processes>, own: Fence) -> anyhow::Result<Vec<ProcessRow>> {
    let alive = processes.list_alive().await?;
    Ok(alive.into_iter().filter(|row| row.fence.process_id != own.process_id).collect())
}

/// Warns when this machine's clock and the database's differ.
pub(super) async fn compare_clocks(processes: &Arc<dyn Processes>, clock: &Arc<dyn Clock>) -> anyhow::Result<()> {
    let apart = processes.database_now().await? - clock.now();
    if apart.abs() > SKEW {
        tracing::warn!(apart_ms = apart.num_milliseconds(), "the clocks of this machine and of the database differ");
    }
    Ok(())
}

/// Warns when the processes together may want more connections than the server gives. The others are taken to be set up
/// like this one.
pub(super) async fn compare_connections(
    store: &Store,
    processes: &Arc<dyn Processes>,
    config: &Config,
) -> anyhow::Result<()> {
    let Some(most) = store.most_connections().await? else { return Ok(()) };
    let alive = processes.list_alive().await?.len().max(1);
    let wanted = wanted(config.database.pool_size, config.ledger.lanes).saturating_mul(alive);
    if u32::try_from(wanted).unwrap_or(u32::MAX) > most {
        tracing::warn!(
            wanted,
            most,
            processes = alive,
            "DATABASE_POOL_SIZE and LEDGER_LANES of all processes ask for more connections than the server gives"
        );
    }
    Ok(())
}

/// Connections of one process: readers, lanes, and those for what is no batch.
fn wanted(pool_size: u32, lanes: usize) -> usize {
    usize::try_from(pool_size).unwrap_or(usize::MAX).saturating_add(lanes).saturating_add(adapter_store::EXTRA_WRITERS)
}
