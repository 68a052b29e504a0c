//! A small world: one workspace in memory that decides by the ledger's own rules, a clock that rings on demand.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt};
use kernel::artifact::Library;
use kernel::budget::Budgets;
use kernel::change::Editor;
use kernel::context::{Credential, OpContext, Scope};
use kernel::egress_policy::EgressPolicies;
use kernel::gateway::Access;
use kernel::identity::Epochs;
use kernel::ledger::{Audit, Batch, Change, Counter, CounterKey, Durability, Fence, LedgerError, Op, RowKey, State};
use kernel::modelhub::{self, ModelHub};
use kernel::observe::{self, Observe};
use kernel::policy::egress::Deployment;
use kernel::port::{
    Account, Catalog, Clock, Committed, Directory, EventRange, Exports, Heard, Ids, KeyLookup, Ledger, Live, LiveEvent,
    Named, NamedIds, ResolveError, Resolver, RunTally, Runs, SealError, Sealer, SessionLookup, Snapshot, Spawner,
    Standing, StoreError, Subject,
};
use kernel::record::{
    ApiKey, Digest, EgressLayer, KeySecret, LoginThrottle, Row, Secret, Session, TenantMember, User, Workspace,
};
use kernel::secret::{Sealed, SecretString};
use kernel::{Error, Result};
use testkit::fake::{FakeObjects, FakeStore};
use tokio::sync::Notify;
use types::budget::{Budget, BudgetHold};
use types::cost::Cost;
use types::id::{
    ApiKeyId, BudgetId, ModelId, ProviderId, RequestId, RunId, SecretId, SessionId, TenantId, UserId, Uuid, WorkspaceId,
};
use types::identity::{Role, Scope as Reach, UnpricedPolicy};
use types::modelhub::{Model, Price, Provider};
use types::page::Page;
use types::problem::Code;
use types::run::{Capture, Entry, Run, RunEvent, RunFilter, RunQuery, RunStatus, Step};

/// What the workspace has.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) state: State,
    pub(crate) providers: BTreeMap<ProviderId, (Provider, bool)>,
    pub(crate) models: BTreeMap<ModelId, Model>,
    pub(crate) prices: Vec<Price>,
    pub(crate) budgets: BTreeMap<BudgetId, (Budget, bool)>,
    pub(crate) secrets: BTreeMap<SecretId, Secret>,
    pub(crate) egress: Option<EgressLayer>,
    pub(crate) costs: Vec<Cost>,
    pub(crate) audit: Vec<Audit>,
    pub(crate) run: Option<RunStatus>,
    pub(crate) changed: Vec<(DateTime<Utc>, RunId)>,
    pub(crate) events: Vec<RunEvent>,
    kept: Option<Arc<Snapshot>>,
    listeners: Vec<(Subject, UnboundedSender<Heard>)>,
}

/// What somebody else does.
type Meanwhile = Box<dyn FnOnce(&World) + Send>;

/// The world; every port there is.
#[derive(Default)]
pub(crate) struct World {
    rows: Mutex<Rows>,
    numbers: AtomicU64,
    bell: Arc<Notify>,
    seconds: AtomicU64,
    /// Whether the caller's rights are gone.
    pub(crate) is_revoked: std::sync::atomic::AtomicBool,
    pub(crate) epochs: Arc<Epochs>,
    /// Done once, between a use case's read and its commit.
    pub(crate) in_between: Mutex<Option<Meanwhile>>,
}

pub(crate) fn scope() -> Scope {
    Scope {
        tenant_id: TenantId::from_uuid(Uuid::from_u128(7)),
        workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(8)),
    }
}

pub(crate) fn run_id() -> RunId {
    RunId::from_uuid(Uuid::from_u128(9))
}

impl World {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    pub(crate) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap()
    }

    /// Somebody with a role, signed in, who proved it lately.
    pub(crate) fn caller(&self, role: Role) -> OpContext {
        let request_id = RequestId::from_uuid(Uuid::nil());
        OpContext {
            user_id: Some(UserId::from_uuid(Uuid::from_u128(5))),
            credential: Credential::Session(SessionId::from_uuid(Uuid::from_u128(6))),
            token: Some(Digest([0; 32])),
            role: Some(role),
            reach: Reach::Admin,
            auth_epoch: self.epoch(),
            elevated_until: Some(DateTime::<Utc>::MAX_UTC),
            entry: Entry::Api,
            ..OpContext::system("test", scope(), request_id, self.now())
        }
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.rows().state.epochs.get(&scope().tenant_id).copied().unwrap_or_default()
    }

    pub(crate) fn editor(self: &Arc<Self>) -> Editor {
        Editor::new(self.clone(), self.clone(), self.clone(), self.clone())
    }

    pub(crate) fn modelhub(self: &Arc<Self>) -> ModelHub {
        ModelHub::new(modelhub::Ports {
            editor: self.editor(),
            sealer: self.clone(),
            resolver: self.clone(),
            clock: self.clone(),
            builtin: None,
            deployment: Arc::new(deployment()),
        })
    }

    pub(crate) fn budgets(self: &Arc<Self>) -> Budgets {
        Budgets::new(self.editor(), self.clone(), self.clone())
    }

    pub(crate) fn egress_policies(self: &Arc<Self>) -> EgressPolicies {
        EgressPolicies::new(self.editor(), self.clone(), Arc::new(deployment()))
    }

    pub(crate) fn observe(self: &Arc<Self>) -> Observe {
        let store = FakeStore::new();
        self.observing(&store, self.clone(), Arc::new(store.clone()))
    }

    /// The same where these records are taken out.
    pub(crate) fn exporting(self: &Arc<Self>, exports: Arc<dyn Exports>) -> Observe {
        let store = FakeStore::new();
        self.observing(&store, Arc::new(store.clone()), exports)
    }

    /// The same where audit and events are those of a store, and new ones go there.
    pub(crate) fn observe_in(self: &Arc<Self>, store: &FakeStore) -> Observe {
        self.observing(store, Arc::new(store.clone()), Arc::new(store.clone()))
    }

    fn observing(self: &Arc<Self>, store: &FakeStore, ledger: Arc<dyn Ledger>, exports: Arc<dyn Exports>) -> Observe {
        Observe::new(observe::Ports {
            access: self.clone(),
            epochs: Arc::clone(&self.epochs),
            runs: self.clone(),
            outbox: Arc::new(store.clone()),
            tasks: Arc::new(store.clone()),
            library: Library::new(Arc::new(store.clone()), Arc::new(FakeObjects::default())),
            exports,
            audits: Arc::new(store.clone()),
            chains: Arc::new(store.clone()),
            directory: self.clone(),
            catalog: self.clone(),
            ledger,
            ids: self.clone(),
            live: self.clone(),
            clock: self.clone(),
            spawner: self.clone(),
        })
    }

    /// Another process changes something in the tenant: what this one keeps is stale now.
    pub(crate) fn raise_epoch(&self) {
        let batch = Batch::opening(scope(), Durability::Power).with([Op::EpochRaise(scope().tenant_id)]);
        self.elsewhere(|| self.apply(batch).unwrap());
    }

    /// What is done elsewhere leaves what is kept here as it is.
    pub(crate) fn elsewhere<T>(&self, done: impl FnOnce() -> T) -> T {
        let kept = self.rows().kept.clone();
        let outcome = done();
        self.rows().kept = kept;
        outcome
    }

    pub(crate) fn apply(&self, batch: Batch) -> std::result::Result<(), LedgerError> {
        let mut rows = self.rows();
        let changes = rows.state.apply(batch)?;
        for change in changes.list {
            match change {
                Change::Row(row) => rows.write(Arc::unwrap_or_clone(row)),
                Change::Audit(_, audit, _) => rows.audit.push(Arc::unwrap_or_clone(audit)),
                Change::Cost(_, cost) => rows.costs.push(Arc::unwrap_or_clone(cost)),
                _ => {}
            }
        }
        if !changes.epochs.is_empty() {
            rows.kept = None;
        }
        drop(rows);
        self.epochs.note(&changes.epochs.into_iter().collect::<Vec<_>>());
        Ok(())
    }

    /// Stores an event of the run without telling anybody.
    pub(crate) fn store_event(&self, event_type: &str) -> RunEvent {
        let mut rows = self.rows();
        let event = RunEvent {
            run_id: run_id(),
            offset: u64::try_from(rows.events.len()).unwrap() + 1,
            event_type: event_type.to_owned(),
            step_id: None,
            payload: serde_json::Value::Null,
            occurred_at: DateTime::UNIX_EPOCH,
        };
        rows.events.push(event.clone());
        event
    }

    /// Tells whoever listens.
    pub(crate) fn tell(&self, event: LiveEvent) {
        self.publish(event);
    }

    /// Lets whoever listens hear something that is no event.
    pub(crate) fn hear(&self, heard: &Heard) {
        for (_, listener) in &self.rows().listeners {
            let _ = listener.unbounded_send(heard.clone());
        }
    }

    pub(crate) fn lag(&self) {
        self.hear(&Heard::Lagged);
    }

    /// Lets a moment pass: everything that sleeps wakes up.
    pub(crate) fn ring(&self) {
        self.seconds.fetch_add(1, Ordering::SeqCst);
        self.bell.notify_waiters();
    }
}

fn deployment() -> Deployment {
    Deployment { private_networks: vec!["10.0.0.0/8".parse().unwrap()], own: vec!["0.0.0.0:9200".parse().unwrap()] }
}

impl Rows {
    fn write(&mut self, row: Row) {
        match row {
            Row::Provider { provider, archived, .. } => drop(self.providers.insert(provider.id, (provider, archived))),
            Row::Model(_, model) => drop(self.models.insert(model.id, model)),
            Row::Price(_, price) => self.prices.insert(0, price),
            Row::Budget { budget, archived, .. } => drop(self.budgets.insert(budget.id, (budget, archived))),
            Row::Secret(secret) => drop(self.secrets.insert(secret.id, secret)),
            Row::EgressLayer(layer) => self.egress = Some(layer),
            other => panic!("management writes no {}", RowKey::of(&other).table),
        }
    }

    fn snapshot(&self) -> Snapshot {
        let live = |archived: bool| !archived;
        let providers: Vec<Provider> = self
            .providers
            .values()
            .filter(|(_, archived)| live(*archived))
            .map(|(provider, _)| provider.clone())
            .collect();
        Snapshot {
            auth_epoch: self.state.epochs.get(&scope().tenant_id).copied().unwrap_or_default(),
            tenant_capture: Capture::Full,
            workspace: Workspace {
                id: scope().workspace_id,
                tenant_id: scope().tenant_id,
                name: "main".parse().unwrap(),
                slug: "main".parse().unwrap(),
                archived: false,
                unpriced_call_policy: UnpricedPolicy::Allow,
                content_capture: Capture::Full,
                require_mfa_from: None,
                version: 1,
            },
            models: self
                .models
                .values()
                .filter(|model| providers.iter().any(|p| p.id == model.provider_id))
                .cloned()
                .collect(),
            providers,
            prices: self.prices.clone(),
            budgets: self
                .budgets
                .values()
                .filter(|(_, archived)| live(*archived))
                .map(|(budget, _)| budget.clone())
                .collect(),
            egress: self.egress.clone(),
            secrets: self.secrets.values().cloned().collect(),
        }
    }
}

#[async_trait]
impl Access for World {
    async fn reauthenticate(&self, ctx: &OpContext) -> Result<OpContext> {
        if self.is_revoked.load(Ordering::SeqCst) {
            return Err(Error::new(Code::InvalidCredentials, "revoked"));
        }
        Ok(OpContext { auth_epoch: self.epoch(), ..ctx.clone() })
    }
}

#[async_trait]
impl Ledger for World {
    async fn commit(&self, batch: Batch) -> std::result::Result<Committed, LedgerError> {
        let meanwhile = self.in_between.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile(self);
        }
        self.apply(batch).map(|()| Committed::default())
    }
}

#[async_trait]
impl Catalog for World {
    async fn snapshot(&self, of: Scope) -> std::result::Result<Option<Arc<Snapshot>>, StoreError> {
        let mut rows = self.rows();
        let kept = rows.kept.clone().unwrap_or_else(|| Arc::new(rows.snapshot()));
        rows.kept = Some(Arc::clone(&kept));
        Ok((of == scope()).then_some(kept))
    }
    fn forget(&self, _: Scope) {
        self.rows().kept = None;
    }
}

impl Spawner for World {
    fn spawn(&self, work: BoxFuture<'static, ()>) {
        futures::executor::block_on(work);
    }
}

#[async_trait]
impl Runs for World {
    async fn list_runs(&self, _: Scope, _: &RunQuery) -> std::result::Result<Page<Run>, StoreError> {
        unused()
    }
    async fn find_run(&self, of: Scope, id: RunId) -> std::result::Result<Option<Run>, StoreError> {
        let found = self.rows().run.filter(|_| of == scope() && id == run_id());
        Ok(found.map(run))
    }
    async fn find_run_and_replays(
        &self,
        _: Scope,
        _: RunId,
        _: u32,
    ) -> std::result::Result<Option<(Run, Vec<Run>)>, StoreError> {
        unused()
    }
    async fn list_steps(&self, _: Scope, _: RunId) -> std::result::Result<Vec<Step>, StoreError> {
        unused()
    }
    async fn list_costs(&self, _: Scope, _: RunId) -> std::result::Result<Vec<Cost>, StoreError> {
        unused()
    }
    async fn list_run_events(
        &self,
        _: Scope,
        _: RunId,
        range: EventRange,
    ) -> std::result::Result<Vec<RunEvent>, StoreError> {
        let rows = self.rows();
        let later = rows.events.iter().filter(|event| event.offset > range.after);
        Ok(later.take(usize::try_from(range.limit).unwrap()).cloned().collect())
    }
    async fn runs_changed_since(&self, _: DateTime<Utc>) -> std::result::Result<Vec<(Scope, RunId)>, StoreError> {
        unused()
    }
    async fn list_canceling(&self, _: Fence) -> std::result::Result<Vec<RunId>, StoreError> {
        unused()
    }
    async fn list_changed(
        &self,
        of: Scope,
        since: DateTime<Utc>,
        limit: u32,
    ) -> std::result::Result<Vec<RunId>, StoreError> {
        let rows = self.rows();
        let changed = rows.changed.iter().filter(|(at, _)| of == scope() && *at >= since).map(|(_, id)| *id);
        Ok(changed.take(usize::try_from(limit).unwrap()).collect())
    }
    async fn standing(&self, _: Scope) -> std::result::Result<Standing, StoreError> {
        unused()
    }
    async fn counters(&self, _: Scope, keys: &[CounterKey]) -> std::result::Result<Vec<Counter>, StoreError> {
        let rows = self.rows();
        let counter = |key: &CounterKey| rows.state.counters.get(&(scope().tenant_id, key.clone())).copied();
        Ok(keys.iter().map(|key| counter(key).unwrap_or_default()).collect())
    }
    async fn count_runs(&self, _: Scope, _: &RunFilter, _: u32) -> std::result::Result<u64, StoreError> {
        unused()
    }
    async fn tally_runs(&self, _: Scope, _: &RunFilter, _: u32) -> std::result::Result<RunTally, StoreError> {
        unused()
    }
    async fn uncounted(&self, of: Scope, budget: &Budget, at: DateTime<Utc>) -> std::result::Result<i64, StoreError> {
        let key = CounterKey::budget(budget.id, budget.period, at);
        let counted = self.counters(of, &[key]).await?[0].value;
        let spent: i64 = self.rows().costs.iter().filter_map(|cost| cost.amount).map(|amount| amount.nanos()).sum();
        Ok(spent - counted)
    }
    async fn list_open_holds(&self, _: Scope, _: &CounterKey) -> std::result::Result<Vec<BudgetHold>, StoreError> {
        unused()
    }
}

#[async_trait]
impl Directory for World {
    async fn find_key(&self, _: Digest) -> std::result::Result<Option<KeyLookup>, StoreError> {
        unused()
    }
    async fn find_session(&self, _: Digest) -> std::result::Result<Option<SessionLookup>, StoreError> {
        unused()
    }
    async fn find_session_by_refresh(&self, _: Digest) -> std::result::Result<Option<SessionLookup>, StoreError> {
        unused()
    }
    async fn find_account_by_email(&self, _: &str) -> std::result::Result<Option<Account>, StoreError> {
        unused()
    }
    async fn find_account(&self, _: UserId) -> std::result::Result<Option<Account>, StoreError> {
        Ok(None)
    }
    async fn list_users(&self, _: &BTreeSet<UserId>) -> std::result::Result<Vec<User>, StoreError> {
        Ok(Vec::new())
    }
    async fn list_names(&self, _: Scope, _: &NamedIds) -> std::result::Result<Vec<Named>, StoreError> {
        Ok(Vec::new())
    }
    async fn is_empty(&self) -> std::result::Result<bool, StoreError> {
        unused()
    }
    async fn list_sessions(&self, _: UserId) -> std::result::Result<Vec<Session>, StoreError> {
        unused()
    }
    async fn find_user_session(&self, _: UserId, _: SessionId) -> std::result::Result<Option<Session>, StoreError> {
        unused()
    }
    async fn list_keys(&self, _: Scope) -> std::result::Result<Vec<ApiKey>, StoreError> {
        unused()
    }
    async fn find_key_by_id(&self, _: Scope, _: ApiKeyId) -> std::result::Result<Option<ApiKey>, StoreError> {
        Ok(None)
    }
    async fn list_key_secrets(&self, _: Scope, _: ApiKeyId) -> std::result::Result<Vec<KeySecret>, StoreError> {
        unused()
    }
    async fn find_workspace(&self, _: Scope) -> std::result::Result<Option<Workspace>, StoreError> {
        unused()
    }
    async fn find_tenant(&self, _: TenantId) -> std::result::Result<Option<kernel::record::Tenant>, StoreError> {
        unused()
    }
    async fn find_tenant_member(
        &self,
        _: TenantId,
        _: UserId,
    ) -> std::result::Result<Option<TenantMember>, StoreError> {
        unused()
    }
    async fn find_throttle(&self, _: &str) -> std::result::Result<Option<LoginThrottle>, StoreError> {
        unused()
    }
    async fn epochs(&self, _: &[TenantId]) -> std::result::Result<Vec<(TenantId, u64)>, StoreError> {
        unused()
    }
}

impl Ids for World {
    fn uuid(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.numbers.fetch_add(1, Ordering::SeqCst)) + 1000)
    }
    fn random(&self, _: &mut [u8]) {}
}

impl Clock for World {
    fn now(&self) -> DateTime<Utc> {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }
    fn monotonic(&self) -> Duration {
        Duration::from_secs(self.seconds.load(Ordering::SeqCst))
    }
    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(Arc::clone(&self.bell).notified_owned())
    }
}

impl Sealer for World {
    fn seal(
        &self,
        _: Scope,
        _: SecretId,
        version: u32,
        value: &SecretString,
    ) -> std::result::Result<Sealed, SealError> {
        let ciphertext = value.expose().bytes().rev().collect();
        Ok(Sealed { key_id: "test".to_owned(), nonce: version.to_be_bytes().to_vec(), ciphertext })
    }
    fn holds(&self, _: Scope, _: SecretId, _: u32, sealed: &Sealed, value: &SecretString) -> bool {
        sealed.ciphertext.iter().rev().eq(value.expose().as_bytes())
    }
    fn seal_under(&self, _: &str, _: &str, _: &[u8]) -> std::result::Result<Sealed, SealError> {
        Err(SealError::Unreadable)
    }
    fn open_under(&self, _: &str, _: &str, _: &Sealed) -> std::result::Result<Vec<u8>, SealError> {
        Err(SealError::Unreadable)
    }
    fn sign(&self, _: &'static str, _: &[&[u8]]) -> [u8; 32] {
        [0; 32]
    }
}

#[async_trait]
impl Resolver for World {
    async fn resolve(&self, host: &str) -> std::result::Result<Vec<IpAddr>, ResolveError> {
        match host {
            "inside.test" => Ok(vec!["10.1.2.3".parse().unwrap()]),
            "hanging.test" => std::future::pending().await,
            _ => Ok(vec!["93.184.216.34".parse().unwrap()]),
        }
    }

    fn is_own(&self, address: IpAddr) -> bool {
        address.is_loopback()
    }
}

impl Live for World {
    fn publish(&self, event: LiveEvent) {
        let to = |subject: &Subject| match &event {
            LiveEvent::Stored(_) | LiveEvent::Delta { .. } => matches!(subject, Subject::Run(_)),
            LiveEvent::RunChanged(..) => true,
            LiveEvent::Changed(..) => matches!(subject, Subject::Workspace(_)),
        };
        for (subject, listener) in &self.rows().listeners {
            if to(subject) {
                let _ = listener.unbounded_send(Heard::Event(event.clone()));
            }
        }
    }
    fn has_listeners(&self, _: Subject) -> bool {
        true
    }
    fn listen(&self, to: Subject) -> BoxStream<'static, Heard> {
        let (sender, receiver) = unbounded();
        self.rows().listeners.push((to, sender));
        receiver.boxed()
    }
}

fn unused<T>() -> T {
    panic!("management does not read this")
}

fn run(status: RunStatus) -> Run {
    let now: DateTime<Utc> = DateTime::UNIX_EPOCH;
    Run {
        id: run_id(),
        workspace_id: scope().workspace_id,
        mode: types::run::Mode::Gateway,
        source: types::run::Source::Gateway,
        entry: Entry::Openai,
        status,
        caller: types::run::Caller { kind: types::run::CallerKind::User, id: "usr_x".to_owned() },
        user_id: None,
        api_key_id: None,
        root_run_id: run_id(),
        parent_run_id: None,
        source_run_id: None,
        attempt_no: 1,
        capture: Capture::Full,
        trace_id: "0".repeat(32),
        request_id: None,
        policy_revision: String::new(),
        sandbox: false,
        model_ref: None,
        input: types::run::Content::default(),
        output: types::run::Content::default(),
        labels: BTreeMap::new(),
        started_at: now,
        ended_at: None,
        duration_ms: None,
        error: None,
        totals: types::run::Totals::default(),
        delivered: None,
        flags: Vec::new(),
        refusals: 0,
    }
}
