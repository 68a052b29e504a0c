//! Delivers outbox events to their consumers: at least once, in order within a subject, subjects side by side.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::stream::{self, StreamExt};
use kernel::ledger::Fence;
use kernel::observe::CONSUMER;
use kernel::port::{Delivery, Lifecycle, StoreError};

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
/// Subjects delivered side by side.
const SUBJECTS: usize = 8;
/// Time between two looks at how far consumers are behind.
const MEASURE: Duration = Duration::from_secs(10);
/// Done deliveries are kept this long.
const KEEP: Duration = Duration::from_secs(7 * 24 * 3600);
/// Time between two clean-ups.
const PRUNE: Duration = Duration::from_secs(3600);

/// Delivers until nothing new is to begin.
pub(super) async fn dispatch(app: App) {
    let (mut measured_at, mut pruned_at) = (None, None);
    loop {
        let claimed = match app.life.fence() {
            Some(fence) => deliver(&app, fence).await.unwrap_or_else(|error| failed(&error)),
            None => 0,
        };
        if is_due(&app, &mut measured_at, MEASURE) {
            match app.outbox.lag().await {
                Ok(lags) => app.metrics.outbox.behind(&lags),
                Err(error) => {
                    failed(&error);
                }
            }
        }
        if is_due(&app, &mut pruned_at, PRUNE)
            && let Err(error) = app.outbox.prune(KEEP).await
        {
            failed(&error);
        }
        if app.shutdown.is_stopping() {
            return;
        }
        if claimed < CLAIM {
            wait(&app).await;
        }
    }
}

/// Until an event was committed here, or perhaps elsewhere.
async fn wait(app: &App) {
    tokio::select! {
        () = app.events.notified() => {}
        () = app.clock.sleep(POLL) => return,
        () = app.shutdown.stopping() => return,
    }
    tokio::select! {
        () = app.clock.sleep(GATHER) => {}
        () = app.shutdown.stopping() => {}
    }
}

fn is_due(app: &App, at: &mut Option<Duration>, every: Duration) -> bool {
    let now = app.clock.monotonic();
    let due = at.is_none_or(|at| now.saturating_sub(at) >= every);
    if due {
        *at = Some(now);
    }
    due
}

/// Nothing was claimed then.
fn failed(error: &StoreError) -> u32 {
    tracing::warn!(%error, "the outbox cannot be read or written");
    0
}

/// Claims what is due and delivers it; how much there was.
async fn deliver(app: &App, fence: Fence) -> Result<u32, StoreError> {
    let claimed = app.outbox.claim(CONSUMER, fence, CLAIM, LEASE).await?;
    let count = u32::try_from(claimed.len()).unwrap_or(CLAIM);
    let mut subjects: BTreeMap<String, Vec<Delivery>> = BTreeMap::new();
    for delivery in claimed {
        subjects.entry(delivery.subject.clone()).or_default().push(delivery);
    }
    let outcomes = stream::iter(subjects.into_values()).map(|subject| deliver_subject(app, subject));
    let outcomes: Vec<_> = outcomes.buffer_unordered(SUBJECTS).collect().await;
    let mut done = Vec::new();
    for outcome in outcomes {
        done.extend(outcome?);
    }
    if !done.is_empty() {
        app.outbox.done(CONSUMER, &done).await?;
    }
    Ok(count)
}

/// Delivers one subject's events in order, up to the first that fails; the delivered ones.
async fn deliver_subject(app: &App, deliveries: Vec<Delivery>) -> Result<Vec<Delivery>, StoreError> {
    let mut done = Vec::with_capacity(deliveries.len());
    for delivery in deliveries {
        match app.observe.announce(&delivery).await {
            Ok(()) => {
                let took = (app.clock.now() - delivery.occurred_at).to_std().unwrap_or_default();
                app.metrics.outbox.delivered(took);
                done.push(delivery);
            }
            Err(error) => {
                let mut chance = [0];
                app.ids.random(&mut chance);
                let retry = retry_in(delivery.attempt, u8::from_be_bytes(chance));
                tracing::warn!(%error, attempt = delivery.attempt, consumer = CONSUMER, "a delivery failed");
                app.outbox.failed(CONSUMER, &delivery, &error.to_string(), retry).await?;
                // Later events of the subject wait for it; their claims run out.
                break;
            }
        }
    }
    Ok(done)
}
