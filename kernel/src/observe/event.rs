//! Outbox events, and how far their consumers are behind.

use std::time::Duration;

use types::outbox::{ConsumerLag, EventFilter, EventQuery, OutboxEvent};
use types::page::Page;

use super::Observe;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::Result;
use crate::outbox::SUBSCRIPTIONS;
use crate::policy::guard;
use crate::port::Lag;

impl Observe {
    /// One page of the workspace's outbox events, newest first.
    pub async fn list_events(&self, ctx: &OpContext, query: &EventQuery) -> Result<Page<OutboxEvent>> {
        guard::authorize(ctx, "event.list")?;
        let mut checks = Checks::default();
        let filter = &query.filter;
        checks.within(Some(query.limit), 1, 200, "limit");
        for (name, count) in filter.counts() {
            let most = EventFilter::MOST_VALUES;
            checks.require(count <= most, name, format!("takes at most {most} values, ask in parts"));
        }
        let ordered = filter.since.zip(filter.until).is_none_or(|(since, until)| since < until);
        checks.require(ordered, "until", "must be after `since`");
        checks.done()?;
        Ok(self.ports.outbox.list_events(ctx.scope, query).await?)
    }

    /// How far each consumer is behind in the workspace, those with nothing to do included.
    pub async fn list_lags(&self, ctx: &OpContext) -> Result<Vec<ConsumerLag>> {
        guard::authorize(ctx, "dead_letter.list")?;
        let mut lags: Vec<ConsumerLag> = self.ports.outbox.lag_in(ctx.scope).await?.into_iter().map(view).collect();
        for subscription in SUBSCRIPTIONS {
            if lags.iter().all(|lag| lag.consumer != subscription.consumer) {
                lags.push(ConsumerLag { consumer: subscription.consumer.to_owned(), ..ConsumerLag::default() });
            }
        }
        lags.sort_by(|one, other| one.consumer.cmp(&other.consumer));
        Ok(lags)
    }
}

fn view(lag: Lag) -> ConsumerLag {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    ConsumerLag {
        consumer: lag.consumer,
        pending: lag.pending,
        leased: lag.leased,
        dead: lag.dead,
        oldest_ms: lag.oldest.map(millis),
        p95_ms: lag.p95.map(millis),
    }
}
