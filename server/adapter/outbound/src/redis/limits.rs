//! Calls a minute, counted by Redis for every process: one script decides and counts in one step, on one clock.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use chrono::TimeDelta;
use kernel::context::Scope;
use kernel::port::{Clock, LimitDecision, Limits};
use types::problem::Code;

use super::{Failure, Redis};

const SCRIPT: &str = include_str!("take.lua");

/// Limits that all processes of an instance share.
pub struct RedisLimits {
    redis: Arc<Redis>,
    clock: Arc<dyn Clock>,
    instance: String,
    /// What the server calls the script.
    digest: OnceLock<String>,
}

impl RedisLimits {
    /// Limits of the instance of that name: others on the same server have others.
    pub fn new(redis: Arc<Redis>, clock: Arc<dyn Clock>, instance: &str) -> Self {
        Self { redis, clock, instance: instance.to_owned(), digest: OnceLock::new() }
    }

    /// It lives as long as it holds anything back, about a minute at most.
    fn key(&self, scope: Scope, key: &str) -> String {
        format!("soit:{}:limit:{}:{}:{key}", self.instance, scope.tenant_id, scope.workspace_id)
    }

    async fn run(&self, key: &str, per_minute: u32) -> Result<(i64, u32, i64), Failure> {
        let call = |command: &str, script: &str| {
            let mut asked = redis::cmd(command);
            asked.arg(script).arg(1).arg(key).arg(per_minute);
            asked
        };
        let digest = match self.digest.get() {
            Some(digest) => digest,
            None => {
                let mut load = redis::cmd("SCRIPT");
                load.arg("LOAD").arg(SCRIPT);
                let digest: String = self.redis.ask(&load).await?;
                self.digest.get_or_init(|| digest)
            }
        };
        match self.redis.ask(&call("EVALSHA", digest)).await {
            // The server was started anew or forgot its scripts: this teaches it.
            Err(Failure::NoScript) => self.redis.ask(&call("EVAL", SCRIPT)).await,
            answered => answered,
        }
    }
}

#[async_trait]
impl Limits for RedisLimits {
    async fn take(&self, scope: Scope, key: &str, per_minute: u32) -> Result<LimitDecision, kernel::Error> {
        let (allowed, remaining, wait) = self.run(&self.key(scope, key), per_minute).await.map_err(|failure| {
            tracing::debug!(%failure, "a call a minute cannot be counted");
            let detail = "the store that counts calls a minute cannot be asked now, nothing was done; try again";
            kernel::Error::new(Code::LimitsUnavailable, detail).with_retry_after(1)
        })?;
        // The wait is the server's, the moment is ours: the two clocks need not agree.
        let resets_at = self.clock.now() + TimeDelta::nanoseconds(wait);
        Ok(LimitDecision { allowed: allowed == 1, remaining, resets_at })
    }
}

impl std::fmt::Debug for RedisLimits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisLimits").field("instance", &self.instance).finish_non_exhaustive()
    }
}
