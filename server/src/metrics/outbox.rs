//! Deliveries of events to their consumers.

use std::time::Duration;

use kernel::outbox::SUBSCRIPTIONS;
use kernel::port::Lag;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

use super::catalog::Catalog;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Consumer {
    consumer: String,
}

/// Deliveries of events.
#[derive(Debug)]
pub(crate) struct Outbox {
    pending: Family<Consumer, Gauge>,
    oldest: Gauge,
    dead: Gauge,
    delivery: Histogram,
}

impl Outbox {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        Self {
            pending: catalog.add("soit_outbox_pending", &["consumer"], "Deliveries that wait", Family::default()),
            oldest: catalog.add(
                "soit_outbox_oldest_pending_seconds",
                &[],
                "Age of the oldest delivery that waits",
                Gauge::default(),
            ),
            dead: catalog.add("soit_outbox_dead", &[], "Deliveries that were given up", Gauge::default()),
            delivery: catalog.add(
                "soit_outbox_delivery_seconds",
                &[],
                "Time from an event to its delivery",
                Histogram::new(exponential_buckets(0.001, 2.0, 18)),
            ),
        }
    }

    /// How far consumers are behind.
    pub(crate) fn behind(&self, lags: &[Lag]) {
        let gauge = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        // Whoever has nothing to do is in no lag.
        let idle = SUBSCRIPTIONS.iter().map(|subscription| (subscription.consumer, 0));
        let idle = idle.filter(|(consumer, _)| lags.iter().all(|lag| lag.consumer != *consumer));
        let busy = lags.iter().map(|lag| (lag.consumer.as_str(), lag.pending));
        for (consumer, pending) in idle.chain(busy) {
            self.pending.get_or_create(&Consumer { consumer: consumer.to_owned() }).set(gauge(pending));
        }
        let oldest = lags.iter().filter_map(|lag| lag.oldest).max().unwrap_or_default();
        self.oldest.set(gauge(oldest.as_secs()));
        self.dead.set(gauge(lags.iter().map(|lag| lag.dead).sum()));
    }

    /// An event reached a consumer.
    pub(crate) fn delivered(&self, took: Duration) {
        self.delivery.observe(took.as_secs_f64());
    }
}
