//! A workspace to call models in: a ledger in memory, a provider that does as it is told, a clock that stands unless
//! somebody waits.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kernel::artifact::{Keeper, Library};
use kernel::context::{Credential, Scope};
use kernel::gateway::{Access, Frame, Gateway, Operation, Ports, Refused, Reply, Request, Settings, Whole};
use kernel::ledger::{
    Audit, Batch, Change, Claim, ClaimKey, Counter, CounterKey, Fence, HoldState, LedgerError, NewArtifact, NewRun,
    NewStep, RunEnd, State, StepEnd,
};
use kernel::policy::egress::Deployment;
use kernel::port::{
    Artifacts, Catalog, Claims, Clock, Committed, ContentSafety, DeadClaim, Expired, Heard, Ids, Ledger, Lifecycle,
    LimitDecision, Limits, Live, LiveEvent, ObjectKey, ResolveError, Resolver, SafetyVerdict, SealError, Sealer,
    Snapshot, Spawner, StoreError, StoredArtifact, Subject, Tokenizer,
};
use kernel::record::{ApiKey, Workspace};
use kernel::secret::{Sealed, SecretString};
use kernel::{Error, OpContext};
use serde_json::{Value, json};
use testkit::fake::FakeObjects;
use types::artifact::{Artifact, ArtifactKind};
use types::budget::{Budget, BudgetStatus, Period, ScopeKind};
use types::cost::Cost;
use types::egress::{EgressPolicy, EgressRule, Scheme};
use types::id::{
    ApiKeyId, ArtifactId, BudgetId, EgressRuleId, ModelId, PriceId, ProcessId, ProviderId, RevisionId, RunId, SecretId,
    StepId, TenantId, UserId, Uuid, WorkspaceId,
};
use types::identity::{Role, Scope as Reach, TenantRole, UnpricedPolicy};
use types::modelhub::{Capability, Model, Price, Provider, ProviderKind, ProviderStatus, Tokenizer as ModelTokenizer};
use types::money::{Amount, Currency, Rate};
use types::run::{Capture, Entry, RunStatus, StepStatus, UsageClass};

use super::provider::FakeProvider;

pub(super) fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

pub(super) fn scope() -> Scope {
    Scope { tenant_id: TenantId::from_uuid(uuid(1)), workspace_id: WorkspaceId::from_uuid(uuid(2)) }
}

const FENCE: u64 = 7;

fn fence() -> Fence {
    Fence { process_id: ProcessId::from_uuid(uuid(3)), epoch: FENCE }
}

/// The ledger: its rules over a state in memory.
#[derive(Default)]
pub(super) struct FakeLedger {
    state: Mutex<State>,
    rows: Mutex<Rows>,
    /// Batches committed.
    pub(super) commits: AtomicUsize,
    /// While set, nothing is committed.
    pub(super) is_down: AtomicBool,
    /// While set, everything fails in an unforeseen way.
    pub(super) is_broken: AtomicBool,
    /// Forgets everything before the next batch: a store that lost what was not synced.
    pub(super) forgets: AtomicBool,
}

#[derive(Default)]
struct Rows {
    runs: HashMap<RunId, NewRun>,
    steps: Vec<NewStep>,
    costs: Vec<Cost>,
    artifacts: Vec<NewArtifact>,
    audit: Vec<Audit>,
    events: Vec<(RunId, &'static str, Value)>,
}

#[async_trait]
impl Ledger for FakeLedger {
    async fn commit(&self, batch: Batch) -> Result<Committed, LedgerError> {
        if self.is_down.load(Ordering::SeqCst) {
            return Err(LedgerError::Unavailable("down".to_owned()));
        }
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(LedgerError::Internal("broken".to_owned()));
        }
        let mut state = self.state.lock().unwrap();
        if self.forgets.swap(false, Ordering::SeqCst) {
            let epochs = std::mem::take(&mut *state).epochs;
            *state = State { epochs, ..State::default() };
            *self.rows.lock().unwrap() = Rows::default();
        }
        state.processes.insert(fence().process_id, FENCE);
        let changes = state.apply(batch).map_err(LedgerError::Refused)?;
        self.commits.fetch_add(1, Ordering::SeqCst);
        let mut rows = self.rows.lock().unwrap();
        for change in &changes.list {
            match change {
                Change::NewRun(_, run) => drop(rows.runs.insert(run.id, (**run).clone())),
                Change::NewStep(_, step, _) => rows.steps.push((**step).clone()),
                Change::Cost(_, cost) => rows.costs.push((**cost).clone()),
                Change::Artifact(_, artifact) => rows.artifacts.push((**artifact).clone()),
                Change::Audit(_, audit, _) => rows.audit.push((**audit).clone()),
                Change::RunEvent(_, event, _) => {
                    rows.events.push((event.run_id, event.event_type, event.payload.clone()));
                }
                _ => {}
            }
        }
        Ok(Committed::of(&changes, &state))
    }
}

#[async_trait]
impl Claims for FakeLedger {
    async fn find_claim(&self, scope: Scope, key: &ClaimKey) -> Result<Option<Claim>, StoreError> {
        let state = self.state.lock().unwrap();
        Ok(state.claims.get(&(scope.tenant_id, key.clone())).cloned().filter(|claim| claim.scope == scope))
    }

    async fn dead_claims(&self, _: u32) -> Result<Vec<DeadClaim>, StoreError> {
        Ok(Vec::new())
    }

    async fn prune_claims(&self, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[async_trait]
impl Artifacts for FakeLedger {
    async fn list_artifacts(&self, _: Scope, _: RunId) -> Result<Vec<Artifact>, StoreError> {
        Ok(Vec::new())
    }

    async fn find_artifact(&self, _: Scope, id: ArtifactId) -> Result<Option<StoredArtifact>, StoreError> {
        let rows = self.rows.lock().unwrap();
        let found = rows.artifacts.iter().find(|artifact| artifact.id == id).map(|found| StoredArtifact {
            artifact: Artifact {
                id,
                run_id: found.run_id,
                step_id: found.step_id,
                kind: found.kind,
                mime: found.mime.clone(),
                size: found.size,
                sha256: found.sha256.hex(),
                created_at: DateTime::UNIX_EPOCH,
            },
            place: found.place.clone(),
        });
        Ok(found)
    }

    async fn named_objects(&self, _: &[ObjectKey]) -> Result<HashSet<ObjectKey>, StoreError> {
        Ok(HashSet::new())
    }

    async fn expired_artifacts(&self, _: u32) -> Result<Vec<Expired>, StoreError> {
        Ok(Vec::new())
    }

    async fn delete_expired(&self, _: &[ArtifactId]) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Seals so that only the right secret and name open it.
struct FakeSealer;

impl Sealer for FakeSealer {
    fn seal(&self, _: Scope, _: SecretId, _: u32, _: &SecretString) -> Result<Sealed, SealError> {
        Err(SealError::Unreadable)
    }

    fn holds(&self, _: Scope, _: SecretId, _: u32, _: &Sealed, _: &SecretString) -> bool {
        false
    }

    fn seal_under(&self, secret: &str, name: &str, value: &[u8]) -> Result<Sealed, SealError> {
        let nonce = format!("{secret} {name}").into_bytes();
        Ok(Sealed { key_id: "test".to_owned(), nonce, ciphertext: value.iter().rev().copied().collect() })
    }

    fn open_under(&self, secret: &str, name: &str, sealed: &Sealed) -> Result<Vec<u8>, SealError> {
        let is_right = sealed.nonce == format!("{secret} {name}").into_bytes();
        let open = || sealed.ciphertext.iter().rev().copied().collect();
        is_right.then(open).ok_or(SealError::Unreadable)
    }

    fn sign(&self, _: &'static str, _: &[&[u8]]) -> [u8; 32] {
        [0; 32]
    }
}

/// Time that passes only while somebody waits.
struct FakeClock {
    start: tokio::time::Instant,
}

impl Clock for FakeClock {
    fn now(&self) -> DateTime<Utc> {
        let base: DateTime<Utc> = "2026-03-01T12:00:00Z".parse().unwrap();
        base + self.start.elapsed()
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

#[derive(Default)]
struct FakeIds(AtomicUsize);

impl Ids for FakeIds {
    fn uuid(&self) -> Uuid {
        uuid(1_000_000 + u128::try_from(self.0.fetch_add(1, Ordering::SeqCst)).unwrap())
    }

    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(0x80);
    }
}

#[derive(Default)]
struct FakeSpawner(Arc<AtomicUsize>);

impl Spawner for FakeSpawner {
    #[expect(clippy::disallowed_methods, reason = "the fake of the port that replaces it")]
    fn spawn(&self, work: BoxFuture<'static, ()>) {
        let running = Arc::clone(&self.0);
        running.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(async move {
            work.await;
            running.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// Where the process stands.
pub(super) struct FakeLife {
    pub(super) is_fenced: AtomicBool,
    abort: tokio::sync::watch::Sender<bool>,
}

impl FakeLife {
    pub(super) fn abort(&self) {
        self.abort.send_replace(true);
    }
}

impl Lifecycle for FakeLife {
    fn fence(&self) -> Option<Fence> {
        (!self.is_fenced.load(Ordering::SeqCst)).then(fence)
    }

    fn aborting(&self) -> BoxFuture<'static, ()> {
        let mut abort = self.abort.subscribe();
        Box::pin(async move { drop(abort.wait_for(|aborted| *aborted).await) })
    }
}

/// Counts words.
struct FakeTokenizer;

#[async_trait]
impl Tokenizer for FakeTokenizer {
    async fn count(&self, _: &str, texts: &[String]) -> u64 {
        let words: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
        u64::try_from(words).unwrap()
    }

    fn is_exact(&self, model: &str) -> bool {
        model != "unknown"
    }

    fn decode(&self, _: &str, ids: &[u32]) -> Result<String, usize> {
        match ids.iter().position(|id| *id >= 1_000) {
            Some(index) => Err(index),
            None => Ok(ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
        }
    }
}

/// What surrounds the gateway and is not the ledger or the provider.
pub(super) struct Surroundings {
    snapshot: Mutex<Snapshot>,
    /// What the minute's limit says next.
    pub(super) calls_left: AtomicUsize,
    pub(super) addresses: Mutex<Vec<IpAddr>>,
    pub(super) verdict: Mutex<SafetyVerdict>,
    /// What safety says of answers.
    pub(super) release: Mutex<SafetyVerdict>,
    pub(super) deltas: Mutex<Vec<(u64, String)>>,
    /// The workspace is no longer there.
    pub(super) is_gone: AtomicBool,
    /// Times access was decided anew.
    pub(super) decided: AtomicUsize,
}

#[async_trait]
impl Catalog for Surroundings {
    async fn snapshot(&self, _: Scope) -> Result<Option<Arc<Snapshot>>, StoreError> {
        if self.is_gone.load(Ordering::SeqCst) {
            return Ok(None);
        }
        Ok(Some(Arc::new(self.snapshot.lock().unwrap().clone())))
    }

    fn forget(&self, _: Scope) {}
}

#[async_trait]
impl Access for Surroundings {
    async fn reauthenticate(&self, ctx: &OpContext) -> Result<OpContext, Error> {
        self.decided.fetch_add(1, Ordering::SeqCst);
        Ok(OpContext { auth_epoch: self.snapshot.lock().unwrap().auth_epoch, ..ctx.clone() })
    }
}

#[async_trait]
impl Limits for Surroundings {
    async fn take(&self, _: Scope, _: &str, _: u32) -> Result<LimitDecision, Error> {
        let left = self.calls_left.load(Ordering::SeqCst);
        self.calls_left.store(left.saturating_sub(1), Ordering::SeqCst);
        let resets_at = "2026-03-01T12:00:30Z".parse().unwrap();
        let remaining = u32::try_from(left.saturating_sub(1)).unwrap();
        Ok(LimitDecision { allowed: left > 0, remaining, resets_at })
    }
}

impl Live for Surroundings {
    fn publish(&self, event: LiveEvent) {
        if let LiveEvent::Delta { chars, text, .. } = event {
            self.deltas.lock().unwrap().push((chars, text));
        }
    }

    fn has_listeners(&self, _: Subject) -> bool {
        true
    }

    fn listen(&self, _: Subject) -> BoxStream<'static, Heard> {
        futures::stream::empty().boxed()
    }
}

#[async_trait]
impl ContentSafety for Surroundings {
    async fn inbound(&self, _: &[String]) -> Result<SafetyVerdict, Error> {
        Ok(self.verdict.lock().unwrap().clone())
    }

    async fn outbound(&self, _: &str) -> Result<SafetyVerdict, Error> {
        Ok(self.release.lock().unwrap().clone())
    }
}

#[async_trait]
impl Resolver for Surroundings {
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let addresses = self.addresses.lock().unwrap().clone();
        let unknown = ResolveError { host: host.to_owned(), reason: "unknown".to_owned() };
        if addresses.is_empty() { Err(unknown) } else { Ok(addresses) }
    }

    fn is_own(&self, address: IpAddr) -> bool {
        address.is_loopback()
    }
}

/// Everything together.
pub(super) struct World {
    pub(super) gateway: Arc<Gateway>,
    pub(super) ledger: Arc<FakeLedger>,
    pub(super) objects: Arc<FakeObjects>,
    pub(super) provider: Arc<FakeProvider>,
    pub(super) around: Arc<Surroundings>,
    pub(super) life: Arc<FakeLife>,
    tasks: Arc<AtomicUsize>,
    clock: Arc<FakeClock>,
}

impl World {
    pub(super) fn new() -> Self {
        let ledger = Arc::new(FakeLedger::default());
        let provider = Arc::new(FakeProvider::default());
        let around = Arc::new(Surroundings {
            snapshot: Mutex::new(snapshot()),
            calls_left: AtomicUsize::new(usize::MAX >> 40),
            addresses: Mutex::new(vec!["1.1.1.1".parse().unwrap()]),
            verdict: Mutex::new(SafetyVerdict::NotConfigured),
            release: Mutex::new(SafetyVerdict::NotConfigured),
            deltas: Mutex::default(),
            is_gone: AtomicBool::new(false),
            decided: AtomicUsize::new(0),
        });
        let life =
            Arc::new(FakeLife { is_fenced: AtomicBool::new(false), abort: tokio::sync::watch::channel(false).0 });
        let spawner = FakeSpawner::default();
        let tasks = Arc::clone(&spawner.0);
        let clock = Arc::new(FakeClock { start: tokio::time::Instant::now() });
        let objects = Arc::new(FakeObjects::default());
        let ports = Ports {
            ledger: ledger.clone(),
            claims: ledger.clone(),
            keeper: Keeper::new(objects.clone(), clock.clone(), Arc::new(FakeIds::default())),
            library: Library::new(ledger.clone(), objects.clone()),
            sealer: Arc::new(FakeSealer),
            catalog: around.clone(),
            access: around.clone(),
            limits: around.clone(),
            live: around.clone(),
            safety: around.clone(),
            resolver: around.clone(),
            provider: provider.clone(),
            builtin: Some(provider.clone()),
            tokenizer: Arc::new(FakeTokenizer),
            clock: clock.clone(),
            ids: Arc::new(FakeIds::default()),
            spawner: Arc::new(spawner),
            lifecycle: life.clone(),
        };
        let settings = Settings { egress: Deployment::default(), ..Settings::default() };
        let gateway = Arc::new(Gateway::new(ports, settings));
        Self { gateway, ledger, objects, provider, around, life, tasks, clock }
    }

    /// Changes what the workspace has set up.
    pub(super) fn set_up(&self, change: impl FnOnce(&mut Snapshot)) {
        change(&mut self.around.snapshot.lock().unwrap());
    }

    /// Access rules change: decisions made before are stale.
    pub(super) fn raise_epoch(&self) {
        self.ledger.state.lock().unwrap().epochs.insert(scope().tenant_id, 1);
        self.set_up(|snapshot| snapshot.auth_epoch = 1);
    }

    /// A caller with a key.
    pub(super) fn caller(&self, key: ApiKey) -> OpContext {
        OpContext {
            user_id: Some(key.created_by),
            scope: scope(),
            reach: key.scopes.iter().copied().max().unwrap(),
            credential: Credential::ApiKey(Arc::new(key)),
            role: Some(Role::Dev),
            tenant_role: Some(TenantRole::Member),
            entry: Entry::Openai,
            now: self.clock.now(),
            ..OpContext::system("test", scope(), types::id::RequestId::from_uuid(uuid(9)), self.clock.now())
        }
    }

    pub(super) async fn call(&self, key: ApiKey, operation: Operation, body: Value) -> Result<Reply, Refused> {
        let request = Request { operation, body: body.to_string().into_bytes(), headers: Vec::new() };
        self.gateway.complete(self.caller(key), request).await
    }

    pub(super) async fn chat(&self, body: Value) -> Result<Reply, Refused> {
        self.call(key(), Operation::Chat, body).await
    }

    /// A whole chat that is answered.
    pub(super) async fn answered(&self, body: Value) -> Whole {
        match self.chat(body).await.unwrap() {
            Reply::Whole(whole) => whole,
            Reply::Stream(_) => panic!("a whole answer"),
        }
    }

    /// A streamed chat: its data frames, and the code of the error that ended it.
    pub(super) async fn streamed(&self, body: Value) -> (Vec<Value>, Option<String>) {
        let Ok(Reply::Stream(mut stream)) = self.chat(body).await else { panic!("a stream") };
        let (mut data, mut failed) = (Vec::new(), None);
        while let Some(frame) = stream.frames.next().await {
            match frame {
                Frame::Data(text) => data.push(serde_json::from_str(&text).unwrap()),
                Frame::Wait => {}
                Frame::Failed(error) => failed = Some(error.code().to_string()),
            }
        }
        (data, failed)
    }

    /// Waits until every tracked task has ended.
    pub(super) async fn settled(&self) {
        while self.tasks.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The state and end of a run.
    pub(super) fn run(&self, id: RunId) -> (RunStatus, RunEnd) {
        let state = self.ledger.state.lock().unwrap();
        let (_, run) = state.runs.get(&id).expect("the run");
        assert_eq!((run.open_steps, run.open_holds), (0, 0), "nothing is left open");
        (run.status, run.end.as_deref().cloned().expect("an end"))
    }

    /// Runs that are not over.
    pub(super) fn open_runs(&self) -> usize {
        let state = self.ledger.state.lock().unwrap();
        state.runs.values().filter(|(_, run)| run.end.is_none()).count()
    }

    /// The only run.
    pub(super) fn only_run(&self) -> RunId {
        let state = self.ledger.state.lock().unwrap();
        let ids: Vec<_> = state.runs.keys().copied().collect();
        let [id] = ids.as_slice() else { panic!("one run: {ids:?}") };
        *id
    }

    pub(super) fn refusals(&self, id: RunId) -> u32 {
        self.ledger.state.lock().unwrap().runs.get(&id).expect("the run").1.refusals
    }

    pub(super) fn new_run(&self, id: RunId) -> NewRun {
        self.ledger.rows.lock().unwrap().runs.get(&id).expect("the run").clone()
    }

    /// Every run.
    pub(super) fn runs(&self) -> Vec<RunId> {
        self.ledger.state.lock().unwrap().runs.keys().copied().collect()
    }

    /// The ends of a run's steps, in order, with their states.
    pub(super) fn steps(&self, id: RunId) -> Vec<(StepStatus, StepEnd)> {
        let (state, rows) = (self.ledger.state.lock().unwrap(), self.ledger.rows.lock().unwrap());
        let of_run = rows.steps.iter().filter(|step| step.run_id == id);
        let found = |id: &StepId| state.steps.get(id).expect("the step");
        let end = |id: &StepId| found(id).end.as_deref().cloned().expect("a closed step");
        of_run.map(|step| (found(&step.id).status, end(&step.id))).collect()
    }

    pub(super) fn decision(&self, id: RunId) -> Value {
        let rows = self.ledger.rows.lock().unwrap();
        rows.steps.iter().find(|step| step.run_id == id).expect("a step").decision.clone()
    }

    /// Steps of a run as they were opened, in order.
    pub(super) fn new_steps(&self, id: RunId) -> Vec<NewStep> {
        let rows = self.ledger.rows.lock().unwrap();
        rows.steps.iter().filter(|step| step.run_id == id).cloned().collect()
    }

    pub(super) fn events(&self, id: RunId) -> Vec<&'static str> {
        let rows = self.ledger.rows.lock().unwrap();
        rows.events.iter().filter(|(run_id, ..)| *run_id == id).map(|(_, event, _)| *event).collect()
    }

    /// What an event of a run says.
    pub(super) fn payload(&self, id: RunId, event_type: &str) -> Value {
        let rows = self.ledger.rows.lock().unwrap();
        let found = rows.events.iter().find(|(run_id, event, _)| *run_id == id && *event == event_type);
        found.map(|(_, _, payload)| payload.clone()).expect("the event")
    }

    pub(super) fn costs(&self) -> Vec<Cost> {
        self.ledger.rows.lock().unwrap().costs.clone()
    }

    /// Artifacts of texts.
    pub(super) fn artifacts(&self) -> Vec<NewArtifact> {
        let (_, texts) = self.kept();
        texts
    }

    /// Records of calls, from which they can be replayed.
    pub(super) fn recordings(&self) -> Vec<NewArtifact> {
        let (recordings, _) = self.kept();
        recordings
    }

    fn kept(&self) -> (Vec<NewArtifact>, Vec<NewArtifact>) {
        let rows = self.ledger.rows.lock().unwrap();
        rows.artifacts.iter().cloned().partition(|artifact| artifact.kind == ArtifactKind::Messages)
    }

    pub(super) fn audit(&self) -> Vec<Audit> {
        self.ledger.rows.lock().unwrap().audit.clone()
    }

    pub(super) fn counter(&self, key: CounterKey) -> Counter {
        let state = self.ledger.state.lock().unwrap();
        state.counters.get(&(scope().tenant_id, key)).copied().unwrap_or_default()
    }

    /// No hold holds, no connection is open, no slot is taken.
    pub(super) fn nothing_is_left(&self) {
        let state = self.ledger.state.lock().unwrap();
        assert!(state.holds.values().all(|hold: &HoldState| !hold.open), "no hold is open");
        assert!(state.counters.values().all(|counter| counter.held == 0), "nothing is held");
        assert!(state.runs.values().all(|(_, run)| run.status.is_final()), "every run is over");
        assert_eq!(self.provider.open.load(Ordering::SeqCst), 0, "no connection is open");
        assert_eq!(self.gateway.calls_in_flight(), 0, "no slot is taken");
    }
}

/// A key without limits.
pub(super) fn key() -> ApiKey {
    ApiKey {
        id: ApiKeyId::from_uuid(uuid(4)),
        scope: scope(),
        name: "key".parse().unwrap(),
        hint: String::new(),
        scopes: vec![Reach::Write],
        created_by: UserId::from_uuid(uuid(5)),
        created_at: DateTime::UNIX_EPOCH,
        expires_at: DateTime::UNIX_EPOCH,
        revoked_at: None,
        last_used_at: None,
        last_used_address: None,
        rate_limit_per_minute: None,
        daily_request_quota: None,
        daily_token_quota: None,
        ip_allowlist: None,
        allowed_models: None,
        allowed_tools: None,
        content_capture: None,
        labels: Default::default(),
        principal_id: None,
        version: 1,
    }
}

/// A hard or soft budget of the workspace for ever.
pub(super) fn budget(amount: &str, hard_stop: bool) -> Budget {
    Budget {
        id: BudgetId::from_uuid(uuid(6)),
        name: "All".parse().unwrap(),
        status: BudgetStatus::Active,
        scope_kind: ScopeKind::Workspace,
        scope_id: None,
        period: Period::Total,
        currency: Currency::USD,
        amount: amount.parse().unwrap(),
        hard_stop,
        thresholds: Vec::new(),
        version: 1,
        created_at: DateTime::UNIX_EPOCH,
    }
}

/// What that budget's counter says.
pub(super) fn budget_counter() -> CounterKey {
    CounterKey::budget(BudgetId::from_uuid(uuid(6)), Period::Total, DateTime::UNIX_EPOCH)
}

/// The account `acme` with the models `gpt` and `unknown`, a rule for it, and a price for everything.
fn snapshot() -> Snapshot {
    let provider_id = ProviderId::from_uuid(uuid(10));
    let model = |number: u128, name: &str| Model {
        id: ModelId::from_uuid(uuid(number)),
        provider_id,
        model_id: name.to_owned(),
        model_ref: format!("model:acme:{name}"),
        display_name: name.to_owned(),
        capabilities: vec![Capability::Chat, Capability::Stream],
        context_window: Some(100_000),
        max_output_tokens: None,
        tokenizer: ModelTokenizer::Auto,
        enabled: true,
        version: 1,
        created_at: DateTime::UNIX_EPOCH,
    };
    Snapshot {
        auth_epoch: 0,
        tenant_capture: Capture::Full,
        workspace: Workspace {
            id: scope().workspace_id,
            tenant_id: scope().tenant_id,
            name: "W".parse().unwrap(),
            slug: "w".parse().unwrap(),
            archived: false,
            unpriced_call_policy: UnpricedPolicy::RefuseWhenBudgeted,
            content_capture: Capture::Full,
            require_mfa_from: None,
            version: 1,
        },
        providers: vec![Provider {
            id: provider_id,
            name: "Acme".parse().unwrap(),
            slug: "acme".parse().unwrap(),
            kind: ProviderKind::OpenaiCompatible,
            base_url: "https://api.acme.test/v1".to_owned(),
            secret_id: None,
            status: ProviderStatus::Active,
            max_concurrency: 256,
            max_retries: 2,
            timeout_ms: None,
            version: 1,
            created_at: DateTime::UNIX_EPOCH,
        }],
        models: vec![model(11, "gpt"), model(12, "unknown")],
        prices: vec![price("model:*")],
        budgets: Vec::new(),
        egress: Some(kernel::record::EgressLayer {
            scope: scope(),
            revision_id: RevisionId::from_uuid(uuid(13)),
            policy: EgressPolicy {
                bundle_id: "pb_test".to_owned(),
                rules: vec![EgressRule {
                    id: Some(EgressRuleId::from_uuid(uuid(14))),
                    schemes: vec![Scheme::Https],
                    host: "api.acme.test".to_owned(),
                    ports: Vec::new(),
                    note: String::new(),
                }],
                private_networks: Vec::new(),
                updated_at: None,
            },
            version: 1,
        }),
        secrets: Vec::new(),
    }
}

/// 1 a million tokens in, 2 a million out.
pub(super) fn price(match_ref: &str) -> Price {
    let rate = |text: &str| Rate::try_from(text.parse::<Amount>().unwrap()).unwrap();
    Price {
        id: PriceId::from_uuid(uuid(15)),
        match_ref: match_ref.to_owned(),
        currency: Currency::USD,
        rates: [(UsageClass::Input, rate("1")), (UsageClass::Output, rate("2"))].into(),
        valid_from: DateTime::UNIX_EPOCH,
        note: String::new(),
        created_at: DateTime::UNIX_EPOCH,
    }
}

/// A chat of a few words.
pub(super) fn ask(model: &str) -> Value {
    json!({ "model": model, "messages": [{ "role": "user", "content": "how are you" }], "max_tokens": 100 })
}

/// The same, streamed.
pub(super) fn ask_stream(model: &str) -> Value {
    let mut body = ask(model);
    body["stream"] = json!(true);
    body
}
