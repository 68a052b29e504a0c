//! What consumers of events cost each other when one of them takes nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use adapter_store::Store;
use futures::future::join_all;
use kernel::ledger::{Batch, Durability, Fence, Op};
use kernel::port::{Delivery, Ledger, Outbox};
use testkit::database::{Engine, TestDatabase};

use crate::load::{open, world};

/// Events that every consumer gets.
const EVENTS: usize = 10_000;
/// Events of one batch.
const BATCH: usize = 250;
/// Deliveries of one claim.
const CLAIM: u32 = 256;
const LEASE: Duration = Duration::from_secs(60);
/// Until a failed delivery is tried again: soon, so that the failing consumer has work all the time.
const RETRY: Duration = Duration::from_millis(200);
/// Consumers that take what they get.
const WELL: [&str; 3] = ["first", "second", "third"];
const BROKEN: &str = "broken";

/// Seconds until three consumers had everything.
pub(crate) struct Consumers {
    /// Beside a fourth that takes everything too.
    pub(crate) well: f64,
    /// Beside a fourth that takes nothing.
    pub(crate) beside_broken: f64,
}

pub(crate) async fn measure(engine: Engine) -> Result<Consumers, String> {
    Ok(Consumers { well: time(engine, false).await?, beside_broken: time(engine, true).await? })
}

async fn time(engine: Engine, is_broken: bool) -> Result<f64, String> {
    let database = TestDatabase::new(engine).await;
    let store = open(&database).await?;
    let sample = world(&store, 0).await?;
    for _ in 0..EVENTS / BATCH {
        let emitted = (0..BATCH).map(|_| {
            let mut event = sample.event(sample.ids().budget(), BROKEN);
            event.consumers.extend(WELL);
            Op::EventEmit(Arc::new(event))
        });
        let batch = Batch::opening(sample.scope, Durability::Process).with(emitted);
        store.commit(batch).await.map_err(|error| error.to_string())?;
    }
    let by = Fence { process_id: sample.ids().process(), epoch: 1 };
    let start = Instant::now();
    let working = join_all(WELL.iter().map(|consumer| take(&store, consumer, by)));
    tokio::select! {
        outcomes = working => outcomes.into_iter().collect::<Result<(), String>>()?,
        outcome = fourth(&store, by, is_broken) => outcome?,
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Takes every event.
async fn take(store: &Store, consumer: &str, by: Fence) -> Result<(), String> {
    let mut left = EVENTS;
    while left > 0 {
        let claimed = claim(store, consumer, by).await?;
        store.done(consumer, &claimed).await.map_err(|error| error.to_string())?;
        left = left.saturating_sub(claimed.len());
    }
    Ok(())
}

/// Goes on for as long as the others work.
async fn fourth(store: &Store, by: Fence, is_broken: bool) -> Result<(), String> {
    if !is_broken {
        take(store, BROKEN, by).await?;
        return std::future::pending().await;
    }
    loop {
        let claimed = claim(store, BROKEN, by).await?;
        if claimed.is_empty() {
            tokio::time::sleep(RETRY).await;
        }
        for delivery in claimed {
            let failed = store.failed(BROKEN, &delivery, "no answer", Some(RETRY)).await;
            failed.map_err(|error| error.to_string())?;
        }
    }
}

async fn claim(store: &Store, consumer: &str, by: Fence) -> Result<Vec<Delivery>, String> {
    store.claim(consumer, by, CLAIM, LEASE).await.map_err(|error| error.to_string())
}
