//! What readiness looks at.

use std::sync::Arc;
use std::time::Duration;

use adapter_outbound::redis::Failure;
use adapter_store::Store;
use futures::future::ready;
use kernel::chain::Copier;
use kernel::port::{Lifecycle, ObjectError, Objects, Outbox, Processes};
use migration::{Migrator, MigratorTrait};

use super::Shared;
use crate::config::StoreDown;
use crate::health::Check;
use crate::local::Life;

/// Age of a waiting delivery from which on somebody should look.
const LATE: Duration = Duration::from_secs(60);

/// What a process has to do with others.
pub(super) struct Others<'a> {
    /// What they share in memory.
    pub(super) shared: Option<&'a Arc<Shared>>,
    /// Whether they may use the same store.
    pub(super) share_store: bool,
    /// What happens while what is shared is away.
    pub(super) on_store_down: StoreDown,
    /// What copies checkpoints out.
    pub(super) copier: Option<&'a Copier>,
}

/// The checks of this process.
pub(super) fn checks(
    store: &Store,
    processes: &Arc<dyn Processes>,
    outbox: &Arc<dyn Outbox>,
    objects: &Arc<dyn Objects>,
    life: &Arc<Life>,
    others: &Others<'_>,
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
    let artifacts = {
        let objects = Arc::clone(objects);
        // Without it calls go on: what is long is not kept then, and says so.
        Check::reported("artifacts", move || {
            let objects = Arc::clone(&objects);
            async move {
                objects.check().await.map_err(|error| match error {
                    ObjectError::Full => "full",
                    ObjectError::Denied(_) => "access denied",
                    ObjectError::NoPlace(_) | ObjectError::Missing => "not there",
                    ObjectError::Unavailable(_) | ObjectError::Internal(_) => "no answer",
                })
            }
        })
    };
    let mut checks = vec![database, migrations, fence, events, artifacts];
    if others.share_store {
        checks.push(text_index(store));
    }
    checks.extend(others.copier.map(copies));
    match others.shared {
        Some(shared) => checks.extend(of_redis(shared, others.on_store_down)),
        None if others.share_store => checks.extend(["live_fanout", "limits"].map(|name| apart(name, processes))),
        None => {}
    }
    checks
}

/// Whether texts of runs are found by an index: without the extension that makes it they are read one by one.
fn text_index(store: &Store) -> Check {
    let store = store.clone();
    Check::reported("text_search", move || {
        let store = store.clone();
        async move {
            let has_index = store.has_text_index().await.map_err(|_| "no answer")?;
            if has_index { Ok(()) } else { Err("no index") }
        }
    })
}

/// Whether copies of checkpoints are taken.
fn copies(copier: &Copier) -> Check {
    let copier = copier.clone();
    Check::reported("checkpoint_sink", move || {
        let copier = copier.clone();
        async move {
            let is_late = copier.is_late().await.map_err(|_| "no answer")?;
            if is_late { Err("behind") } else { Ok(()) }
        }
    })
}

/// What processes share: whether it is there, and what happens while it is not.
fn of_redis(shared: &Arc<Shared>, down: StoreDown) -> [Check; 3] {
    let [redis, limits, live] = std::array::from_fn(|_| Arc::clone(shared));
    let without = match down {
        StoreDown::Refuse => "refused",
        StoreDown::Local => "local",
    };
    [
        Check::reported("redis", move || ready(redis.redis.state().map_err(Failure::word))),
        Check::worded("limits", move || ready(limits.redis.state().map(|()| "shared").map_err(|_| without))),
        Check::worded("live_fanout", move || ready(if live.live.is_up() { Ok("redis") } else { Err("down") })),
    ]
}

/// What each process does by itself, which is all there is to do while it is alone.
fn apart(name: &'static str, processes: &Arc<dyn Processes>) -> Check {
    let processes = Arc::clone(processes);
    Check::worded(name, move || {
        let processes = Arc::clone(&processes);
        async move {
            let alive = processes.list_alive().await.map_err(|_| "no answer")?.len();
            if alive > 1 { Err("local") } else { Ok("local") }
        }
    })
}
