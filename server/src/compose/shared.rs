//! What this process shares with others through Redis, where a Redis is named.

use std::sync::{Arc, OnceLock};

use adapter_outbound::redis::{Hub, Redis, RedisLimits, RedisLive};
use adapter_store::Store;
use anyhow::{Context, bail};
use futures::future::{BoxFuture, FutureExt};
use kernel::port::{Clock, Ids, Limits};
use sha2::{Digest, Sha256};

use super::build::extra_roots;
use crate::config::{Config, StoreDown};
use crate::local::{DegradableLimits, Degraded, LocalLimits};
use crate::metrics::Metrics;

/// What this process shares with others through Redis. Limits and live events have a connection each: a flood of one does
/// not delay the other.
#[derive(Debug)]
pub struct Shared {
    /// Counts calls a minute.
    pub redis: Arc<Redis>,
    /// Carries live events.
    pub live: Arc<RedisLive>,
    live_redis: Arc<Redis>,
    /// Sets this instance apart from others on the same Redis.
    instance: OnceLock<String>,
}

impl Shared {
    /// Nothing without `REDIS_URL`. A Redis that will never take this URL ends the start; one that is only away does not:
    /// what needs it waits, or is refused, until it is there.
    pub(super) async fn open(
        config: &Config,
        hub: Arc<dyn Hub>,
        clock: &Arc<dyn Clock>,
        ids: &dyn Ids,
    ) -> anyhow::Result<Option<Arc<Self>>> {
        let Some(url) = &config.ledger.redis_url else { return Ok(None) };
        let roots = extra_roots(config)?;
        let connection = || {
            let redis = Redis::new(url.address().clone(), roots.as_deref());
            redis.map(Arc::new).context("EXTRA_CA_FILE cannot be used")
        };
        let (redis, live_redis) = (connection()?, connection()?);
        match redis.check().await {
            Ok(()) => {}
            Err(failure) if failure.is_lasting() => bail!("REDIS_URL: the server {failure}"),
            Err(failure) => tracing::warn!(%failure, "redis is not there yet, limits and live updates wait for it"),
        }
        let live = Arc::new(RedisLive::new(Arc::clone(&live_redis), hub, Arc::clone(clock), ids));
        Ok(Some(Arc::new(Self { redis, live, live_redis, instance: OnceLock::new() })))
    }

    /// Minute limits that all processes of this database share.
    pub(super) async fn limits(
        &self,
        store: &Store,
        config: &Config,
        degraded: &Arc<Degraded>,
        metrics: &Arc<Metrics>,
        clock: &Arc<dyn Clock>,
    ) -> anyhow::Result<Arc<dyn Limits>> {
        let instance = instance_name(&store.instance_mark().await?);
        let shared = RedisLimits::new(Arc::clone(&self.redis), Arc::clone(clock), &instance);
        let is_local = config.ledger.limits_on_store_down == StoreDown::Local;
        let local = is_local.then(|| LocalLimits::new(Arc::clone(clock)));
        let _ = self.instance.set(instance);
        Ok(Arc::new(DegradableLimits::new(
            Arc::new(shared),
            local,
            Arc::clone(degraded),
            Arc::clone(metrics),
            Arc::clone(clock),
        )))
    }

    /// The loops that keep it going; none of them ends by itself.
    pub(crate) fn loops(self: &Arc<Self>) -> [BoxFuture<'static, ()>; 3] {
        let (limits, words, live) = (Arc::clone(self), Arc::clone(self), Arc::clone(self));
        [
            async move { limits.redis.keep().await }.boxed(),
            async move { words.live_redis.keep().await }.boxed(),
            async move { live.live.run(live.instance.get().map_or("", String::as_str)).await }.boxed(),
        ]
    }
}

/// A short name that tells nothing of what it is made from.
fn instance_name(mark: &[u8]) -> String {
    Sha256::digest(mark).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
