//! What the gateway needs from the world, and how it is set.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use types::run::Capture;

use crate::artifact::{Keeper, Library};
use crate::identity::Identity;
use crate::policy::egress;
use crate::port::{
    BuiltinModels, Catalog, Claims, Clock, ContentSafety, Ids, Ledger, Lifecycle, Limits, Live, ModelProvider,
    Resolver, Sealer, Spawner, Tokenizer,
};
use crate::{OpContext, Result};

/// What the gateway needs from the world.
pub struct Ports {
    /// Writing.
    pub ledger: Arc<dyn Ledger>,
    /// What was done under callers' keys.
    pub claims: Arc<dyn Claims>,
    /// Keeps long texts and answers.
    pub keeper: Keeper,
    /// Reads them again.
    pub library: Library,
    /// Seals what is to be answered again.
    pub sealer: Arc<dyn Sealer>,
    /// What the workspace has set up.
    pub catalog: Arc<dyn Catalog>,
    /// Deciding anew who asks.
    pub access: Arc<dyn Access>,
    /// Calls a minute.
    pub limits: Arc<dyn Limits>,
    /// Who watches.
    pub live: Arc<dyn Live>,
    /// Judging texts.
    pub safety: Arc<dyn ContentSafety>,
    /// Names to addresses.
    pub resolver: Arc<dyn Resolver>,
    /// The way out.
    pub provider: Arc<dyn ModelProvider>,
    /// Models that need no account; none in production.
    pub builtin: Option<Arc<dyn BuiltinModels>>,
    /// Counting tokens.
    pub tokenizer: Arc<dyn Tokenizer>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids and randomness.
    pub ids: Arc<dyn Ids>,
    /// Work no client can skip.
    pub spawner: Arc<dyn Spawner>,
    /// Whether anything may start.
    pub lifecycle: Arc<dyn Lifecycle>,
}

/// Decides anew who asks, after access rules moved.
#[async_trait]
pub trait Access: Send + Sync {
    /// The same caller under the present rules, or the refusal they mean.
    async fn reauthenticate(&self, ctx: &OpContext) -> Result<OpContext>;
}

#[async_trait]
impl Access for Identity {
    async fn reauthenticate(&self, ctx: &OpContext) -> Result<OpContext> {
        Self::reauthenticate(self, ctx).await
    }
}

/// How the gateway is set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The deployment's egress layer.
    pub egress: egress::Deployment,
    /// A whole call, retries included; also the wait for a stream's first content.
    pub call_timeout: Duration,
    /// Between two frames of a stream.
    pub frame_timeout: Duration,
    /// A whole stream.
    pub stream_timeout: Duration,
    /// How long an answer under an `Idempotency-Key` is kept.
    pub answers_kept: Duration,
    /// The same where only metadata of the run is kept.
    pub sealed_answers_kept: Duration,
}

impl Settings {
    /// How long an answer under a key is kept.
    pub(super) fn kept_for(&self, capture: Capture) -> Duration {
        match capture {
            Capture::Full | Capture::Redacted => self.answers_kept,
            Capture::MetadataOnly => self.sealed_answers_kept,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            egress: egress::Deployment::default(),
            call_timeout: Duration::from_secs(180),
            frame_timeout: Duration::from_secs(120),
            stream_timeout: Duration::from_secs(1800),
            answers_kept: Duration::from_secs(24 * 3600),
            sealed_answers_kept: Duration::from_secs(24 * 3600),
        }
    }
}
