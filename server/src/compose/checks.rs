//! What readiness looks at.

use std::sync::Arc;
use std::time::Duration;

use adapter_store::Store;
use kernel::port::{Lifecycle, Outbox, Processes};
use migration::{Migrator, MigratorTrait};

use crate::health::Check;
use crate::local::Life;

/// Age of a waiting delivery from which on somebody should look.
const LATE: Duration = Duration::from_secs(60);

/// The checks of this process.
pub(super) fn checks(
    store: &Store,
    processes: &Arc<dyn Processes>,
    outbox: &Arc<dyn Outbox>,
    life: &Arc<Life>,
    shares_store: bool,
) -> Vec<Check> {
    let database = {
        let processes = Arc::clone(processes);
        Check::required("database", move || {
            let processes = Arc::clone(&processes);
            async move { processes.database_now().await.map(drop).map_err(|_| "no answer") }
        })
    };
    let migrations = {
        let store = store.clone();
        Check::required("migrations", move || {
            let store = store.clone();
            async move {
                let seen = store.migrations().await.map_err(|_| "no answer")?;
                // A newer process may have gone further; both run on what is common.
                let known = Migrator::migrations();
                let pending = known.iter().any(|migration| !seen.iter().any(|name| name == migration.name()));
                if pending { Err("pending") } else { Ok(()) }
            }
        })
    };
    let fence = {
        let life = Arc::clone(life);
        Check::required("fence", move || {
            let alive = life.fence().is_some();
            async move { if alive { Ok(()) } else { Err("declared dead") } }
        })
    };
    let events = {
        let outbox = Arc::clone(outbox);
        Check::reported("outbox", move || {
            let outbox = Arc::clone(&outbox);
            async move {
                let lags = outbox.lag().await.map_err(|_| "no answer")?;
                let oldest = lags.iter().filter_map(|lag| lag.oldest).max().unwrap_or_default();
                if oldest > LATE { Err("behind") } else { Ok(()) }
            }
        })
    };
    let mut checks = vec![database, migrations, fence, events];
    if shares_store {
        let processes = Arc::clone(processes);
        checks.push(Check::reported("live_fanout", move || {
            let processes = Arc::clone(&processes);
            async move {
                let alive = processes.list_alive().await.map_err(|_| "no answer")?.len();
                if alive > 1 { Err("local") } else { Ok(()) }
            }
        }));
    }
    checks
}
