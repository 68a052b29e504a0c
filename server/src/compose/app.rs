//! What doors and workers share.

use std::ops::Deref;
use std::sync::Arc;

use adapter_outbound::TestProvider;
use adapter_store::Store;
use kernel::artifact::{Keeper, Sweeper};
use kernel::budget::Budgets;
use kernel::chain::{Chain, Copier, Rotator};
use kernel::control::Control;
use kernel::egress_policy::EgressPolicies;
use kernel::evidence::Evidence;
use kernel::feedback::Feedback;
use kernel::gateway::Gateway;
use kernel::identity::Identity;
use kernel::ledger::Fence;
use kernel::modelhub::ModelHub;
use kernel::observe::Observe;
use kernel::outbox::Consumer;
use kernel::port::{
    self, Catalog, Claims, Clock, ContentSafety, Counters, Directory, Ids, KeyKeeper, Ledger, Lifecycle, Limits, Mails,
    ModelProvider, Notices, Outbox, PasswordHasher, Processes, Resolver, Runs, Sealer, SecondFactors, SingleSignOn,
    Spawner, Tokenizer,
};
use kernel::reaper::Reaper;
use kernel::repeat::Repeats;
use kernel::replay::Replays;
use kernel::retention::{ErasePorts, Purger, Retention};
use kernel::search::Finder;
use kernel::task::{Tasks, Worker};
use kernel::usage::UsageReports;
use kernel::view::Views;
use tokio::sync::{Notify, watch};

use super::Shared;
use crate::asset::Site;
use crate::backend::Reveals;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::health::Health;
use crate::local::{Bells, Degraded, Life, LiveHub, Pending};
use crate::metrics::Metrics;
use crate::shutdown::Shutdown;
use crate::task::Tracker;

/// A running soit. Clones share it.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// What a soit is made of.
pub struct Parts {
    /// What it was told.
    pub config: Config,
    /// This process, as the store knows it.
    pub fence: Fence,
    /// Whether other processes may use the same store.
    pub shares_store: bool,
    /// Whether it may start something.
    pub life: Arc<Life>,
    /// Which moment of its end has come.
    pub shutdown: Shutdown,
    /// Background work that shutdown waits for.
    pub tasks: Tracker,
    /// Whether it can do its work.
    pub health: Arc<Health>,
    /// What it counts.
    pub metrics: Arc<Metrics>,
    /// The console's files.
    pub site: Site,
    /// Live events between its tasks.
    pub live: Arc<LiveHub>,
    /// Rings when outbox events were written.
    pub events: watch::Sender<()>,
    /// Word to and from other processes.
    pub notices: Arc<dyn Notices>,
    /// What they are to be told.
    pub pending: Arc<Pending>,
    /// What rings when they told something.
    pub bells: Bells,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids and randomness.
    pub ids: Arc<dyn Ids>,
    /// [`Parts::tasks`] as the kernel sees it.
    pub spawner: Arc<dyn Spawner>,
    /// Writing.
    pub ledger: Arc<dyn Ledger>,
    /// Reading runs.
    pub runs: Arc<dyn Runs>,
    /// Reading identities.
    pub directory: Arc<dyn Directory>,
    /// Reading second factors.
    pub second_factors: Arc<dyn SecondFactors>,
    /// Reading connections to identity providers.
    pub sso: Arc<dyn SingleSignOn>,
    /// Reading what workspaces have set up.
    pub catalog: Arc<dyn Catalog>,
    /// What was done under callers' keys.
    pub claims: Arc<dyn Claims>,
    /// Mails of the deployment itself.
    pub mails: Arc<dyn Mails>,
    /// Deliveries of events.
    pub outbox: Arc<dyn Outbox>,
    /// Keeps what is long.
    pub keeper: Keeper,
    /// Deletes what is over and what nobody names.
    pub sweeper: Sweeper,
    /// How long what is kept, and legal holds.
    pub retention: Retention,
    /// What taking something out needs.
    pub erase: ErasePorts,
    /// Takes out what its time is over.
    pub purger: Purger,
    /// Who is told of events.
    pub consumers: Vec<Arc<dyn Consumer>>,
    /// Who is alive.
    pub processes: Arc<dyn Processes>,
    /// Calls a minute.
    pub limits: Arc<dyn Limits>,
    /// What is shared with other processes in memory; none without a Redis.
    pub shared: Option<Arc<Shared>>,
    /// Workspaces whose limits were counted apart.
    pub degraded: Arc<Degraded>,
    /// Passwords.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Sealing secrets and signing.
    pub sealer: Arc<dyn Sealer>,
    /// Counting tokens.
    pub tokenizer: Arc<dyn Tokenizer>,
    /// Names to addresses.
    pub resolver: Arc<dyn Resolver>,
    /// Model providers.
    pub provider: Arc<dyn ModelProvider>,
    /// The built-in provider; none in production.
    pub test_provider: Option<Arc<TestProvider>>,
    /// Content safety.
    pub safety: Arc<dyn ContentSafety>,
    /// Ending what dead processes left.
    pub reaper: Reaper,
    /// Who asks, and with what power.
    pub identity: Arc<Identity>,
    /// New key secrets, until the page that shows them is opened.
    pub reveals: Reveals,
    /// Ending runs on demand.
    pub control: Arc<Control>,
    /// Tasks, for people.
    pub task_list: Tasks,
    /// Tasks as they are stored.
    pub stored_tasks: Arc<dyn port::Tasks>,
    /// Takes tasks and does them.
    pub worker: Arc<Worker>,
    /// Rings when tasks were opened or moved, here or elsewhere.
    pub tasks_changed: Arc<Notify>,
    /// Commands under callers' keys.
    pub repeats: Repeats,
    /// Model calls.
    pub gateway: Arc<Gateway>,
    /// Runs that come out of others.
    pub replays: Replays,
    /// Provider accounts, models and prices.
    pub modelhub: ModelHub,
    /// Budgets.
    pub budgets: Budgets,
    /// Saved views of lists.
    pub views: Views,
    /// What people say of runs.
    pub feedback: Feedback,
    /// What may leave a workspace.
    pub egress_policies: EgressPolicies,
    /// Runs, and live streams of what happens.
    pub observe: Observe,
    /// Hash chains: where they stand, checking and sealing them.
    pub chain: Chain,
    /// Copying checkpoints out; none where nobody wants copies.
    pub copier: Option<Copier>,
    /// Signing keys, as they are kept.
    pub signing_keys: Arc<dyn KeyKeeper>,
    /// A new signing key in place of the present one.
    pub rotator: Rotator,
    /// Evidence of runs.
    pub evidence: Evidence,
    /// Counters of usage.
    pub counters: Arc<dyn Counters>,
    /// Figures from them.
    pub usage: UsageReports,
    /// Finding things by a few letters.
    pub finder: Finder,
    /// The store itself, for its end and its figures.
    pub store: Store,
    /// Held until the end: no second process may use it.
    pub(super) _data_dir: DataDir,
}

impl App {
    /// Shares the parts.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Every figure, those included that are only looked at when somebody asks.
    pub fn encode_metrics(&self) -> String {
        self.metrics.liveness.now(self.live.listeners(), &self.health.readiness());
        if let Some(shared) = &self.shared {
            self.metrics.shared.went_over(shared.live.figures());
        }
        self.metrics.ledger.retried(self.store.figures().retries);
        self.metrics.ledger.deferred(self.gateway.settles_deferred());
        self.metrics.ledger.stuck(self.gateway.settles_stuck());
        self.metrics.artifacts.kept(self.keeper.kept());
        self.metrics.encode()
    }

    /// Says goodbye: what waits is written, the process's row is closed, the database let go.
    pub async fn close(&self) {
        let fence = self.life.fence().unwrap_or(self.fence);
        if let Err(error) = self.processes.close(fence).await {
            tracing::warn!(%error, "the process could not say goodbye, others will notice that it is gone");
        }
        if let Err(error) = self.store.close().await {
            tracing::error!(%error, "the store could not be closed");
        }
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("fence", &self.fence).finish_non_exhaustive()
    }
}
