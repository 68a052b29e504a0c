//! Delivers outbox events to their consumers: at least once, in order within a subject, subjects side by side. Each consumer
//! has a loop of its own: one that fails delays no other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, StreamExt};
use kernel::Error;
use kernel::ledger::Fence;
use kernel::outbox::Consumer;
use kernel::port::{Delivery, Lifecycle, StoreError};
use tokio::sync::watch;
use types::problem::Code;

use super::backoff::retry_in;
use crate::compose::App;

/// Time between two looks when nothing wakes the loop.
const POLL: Duration = Duration::from_secs(1);
/// After an event the loop waits this long, so that many events share a claim.
const GATHER: Duration = Duration::from_millis(100);
/// Deliveries claimed at once.
const CLAIM: u32 = 256;
/// How long a claim is good.
const LEASE: Duration = Duration::from_secs(60);
/// What of a claim was not begun by then is left to the next one: what was begun has the rest of the lease to end.
pub const BEGIN: Duration = Duration::from_secs(30);
/// Longest time one delivery may take.
const HANDLER: Duration = Duration::from_secs(25);
/// Subjects delivered side by side.
const SUBJECTS: usize = 8;

/// Delivers to a consumer until nothing new is to begin.
pub(super) async fn dispatch(app: App, consumer: Arc<dyn Consumer>) {
    let mut events = app.events.subscribe();
    loop {
        let claimed = match app.life.fence() {
            Some(fence) => deliver_due(&app, &*consumer, fence, BEGIN).await.unwrap_or_else(|error| {
                tracing::warn!(%error, consumer = consumer.name(), "the outbox cannot be read or written");
                0
            }),
            None => 0,
        };
        if app.shutdown.is_stopping() {
            return;
        }
        // A claim holds one delivery a subject: while there are any, there may be more behind them.
        if claimed == 0 {
            wait(&app, &mut events).await;
        }
    }
}

/// Until an event was committed here, or perhaps elsewhere.
async fn wait(app: &App, events: &mut watch::Receiver<()>) {
    tokio::select! {
        // The sender lives as long as the app.
        _ = events.changed() => {}
        () = app.clock.sleep(POLL) => return,
        () = app.shutdown.stopping() => return,
    }
    tokio::select! {
        () = app.clock.sleep(GATHER) => {}
        () = app.shutdown.stopping() => {}
    }
}

/// Claims what is due for a consumer and delivers what can be begun `within` that time; how much was due.
pub async fn deliver_due(
    app: &App,
    consumer: &dyn Consumer,
    fence: Fence,
    within: Duration,
) -> Result<u32, StoreError> {
    let begin_until = app.clock.monotonic() + within;
    let claimed = app.outbox.claim(consumer.name(), fence, CLAIM, LEASE).await?;
    let count = u32::try_from(claimed.len()).unwrap_or(CLAIM);
    let mut subjects: BTreeMap<String, Vec<Delivery>> = BTreeMap::new();
    for delivery in claimed {
        subjects.entry(delivery.subject.clone()).or_default().push(delivery);
    }
    let outcomes =
        stream::iter(subjects.into_values()).map(|subject| deliver_subject(app, consumer, subject, begin_until));
    let outcomes: Vec<_> = outcomes.buffer_unordered(SUBJECTS).collect().await;
    let mut done = Vec::new();
    for outcome in outcomes {
        done.extend(outcome?);
    }
    if !done.is_empty() {
        app.outbox.done(consumer.name(), &done).await?;
    }
    Ok(count)
}

/// Delivers one subject's events in order, up to the first that fails or comes too late in the claim; the delivered ones.
async fn deliver_subject(
    app: &App,
    consumer: &dyn Consumer,
    deliveries: Vec<Delivery>,
    begin_until: Duration,
) -> Result<Vec<Delivery>, StoreError> {
    let mut done = Vec::with_capacity(deliveries.len());
    for delivery in deliveries {
        if app.clock.monotonic() >= begin_until {
            // Begun now, it could outlast the claim, and another process would do it too.
            break;
        }
        let outcome = tokio::select! {
            outcome = consumer.deliver(&delivery) => outcome,
            () = app.clock.sleep(HANDLER) => Err(Error::new(Code::Internal, "the consumer did not end in time")),
        };
        match outcome {
            Ok(()) => {
                let took = (app.clock.now() - delivery.occurred_at).to_std().unwrap_or_default();
                app.metrics.outbox.delivered(took);
                done.push(delivery);
            }
            Err(error) => {
                let mut chance = [0];
                app.ids.random(&mut chance);
                let retry = retry_in(delivery.attempt, u8::from_be_bytes(chance));
                let (name, attempt) = (consumer.name(), delivery.attempt);
                tracing::warn!(%error, attempt, consumer = name, "a delivery failed");
                app.outbox.failed(name, &delivery, &error.to_string(), retry).await?;
                // Later events of the subject wait for it; their claims run out.
                break;
            }
        }
    }
    Ok(done)
}
