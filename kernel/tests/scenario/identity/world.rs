//! A small world: a store in memory that decides by the ledger's own rules, a clock one can turn, two processes.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::BoxFuture;
use kernel::OpContext;
use kernel::context::Scope;
use kernel::identity::{Client, Epochs, FirstAccount, Identity, Links, Place, Ports, Presented, Settings, SsoPorts};
use kernel::ledger::{Audit, Batch, Durability, Fence, Op};
use kernel::outbox::{Consumer, MAIL};
use kernel::port::{
    self, Account, Clock, CommitObserver, Directory, HashError, Ids, KeyLookup, Ledger, Mailer, Named, NamedIds,
    Outbox, PasswordHasher, People, ResolveError, Resolver, Roster, SealError, Sealer, SecondFactors, SeenViews,
    SessionLookup, Spawner, StoreError, Subjects,
};
use kernel::record::{
    ApiKey, Digest, Grant, Group, GroupMember, Invitation, KeySecret, LoginThrottle, MfaChallenge, Row, SavedView,
    SecondFactor, ServicePrincipal, Session, Tenant, TenantMember, User, Workspace, WorkspaceMember,
};
use kernel::secret::{Sealed, SecretString};
use kernel::view::{self, Views};
use testkit::fake::{FakeIdentityProvider, FakeMailer, FakeStore, FakeTotp};
use types::access::GrantSubject;
use types::id::{
    ApiKeyId, ProcessId, RequestId, RunId, SecretId, ServicePrincipalId, SessionId, TenantId, UserId, Uuid, ViewId,
    WorkspaceId,
};
use types::identity::{LoggedIn, Login, Role, Scope as Reach, StepUp, TenantRole, UnpricedPolicy, UserStatus};
use types::key::CreateApiKey;
use types::mfa::LoginAnswer;
use types::run::{Capture, Entry, RunEvent};

pub(crate) const PASSWORD: &str = "plum violin harbour 71";

/// The fake store, counting what is asked of it.
#[derive(Default)]
pub(crate) struct Store {
    fake: FakeStore,
    queries: AtomicUsize,
}

impl Store {
    fn asked(&self) -> &FakeStore {
        self.queries.fetch_add(1, Ordering::Relaxed);
        &self.fake
    }
}

#[async_trait]
impl Directory for Store {
    async fn find_key(&self, digest: Digest) -> Result<Option<KeyLookup>, StoreError> {
        self.asked().find_key(digest).await
    }
    async fn find_session(&self, token: Digest) -> Result<Option<SessionLookup>, StoreError> {
        self.asked().find_session(token).await
    }
    async fn find_session_by_refresh(&self, refresh: Digest) -> Result<Option<SessionLookup>, StoreError> {
        self.asked().find_session_by_refresh(refresh).await
    }
    async fn find_account_by_email(&self, email_key: &str) -> Result<Option<Account>, StoreError> {
        self.asked().find_account_by_email(email_key).await
    }
    async fn find_account(&self, id: UserId) -> Result<Option<Account>, StoreError> {
        self.asked().find_account(id).await
    }
    async fn list_users(&self, ids: &BTreeSet<UserId>) -> Result<Vec<User>, StoreError> {
        self.asked().list_users(ids).await
    }
    async fn list_names(&self, scope: Scope, ids: &NamedIds) -> Result<Vec<Named>, StoreError> {
        self.asked().list_names(scope, ids).await
    }
    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.asked().is_empty().await
    }
    async fn list_sessions(&self, user_id: UserId) -> Result<Vec<Session>, StoreError> {
        self.asked().list_sessions(user_id).await
    }
    async fn find_user_session(&self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StoreError> {
        self.asked().find_user_session(user_id, id).await
    }
    async fn list_keys(&self, scope: Scope) -> Result<Vec<ApiKey>, StoreError> {
        self.asked().list_keys(scope).await
    }
    async fn find_key_by_id(&self, scope: Scope, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError> {
        self.asked().find_key_by_id(scope, id).await
    }
    async fn list_key_secrets(&self, scope: Scope, id: ApiKeyId) -> Result<Vec<KeySecret>, StoreError> {
        self.asked().list_key_secrets(scope, id).await
    }
    async fn find_workspace(&self, scope: Scope) -> Result<Option<Workspace>, StoreError> {
        self.asked().find_workspace(scope).await
    }
    async fn find_tenant(&self, id: TenantId) -> Result<Option<Tenant>, StoreError> {
        self.asked().find_tenant(id).await
    }
    async fn find_tenant_member(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
    ) -> Result<Option<TenantMember>, StoreError> {
        self.asked().find_tenant_member(tenant_id, user_id).await
    }
    async fn find_throttle(&self, key: &str) -> Result<Option<LoginThrottle>, StoreError> {
        self.asked().find_throttle(key).await
    }
    async fn epochs(&self, tenants: &[TenantId]) -> Result<Vec<(TenantId, u64)>, StoreError> {
        self.asked().epochs(tenants).await
    }
}

#[async_trait]
impl Subjects for Store {
    async fn list_principals(&self, scope: Scope) -> Result<Vec<ServicePrincipal>, StoreError> {
        self.asked().list_principals(scope).await
    }
    async fn find_principal(
        &self,
        scope: Scope,
        id: ServicePrincipalId,
    ) -> Result<Option<ServicePrincipal>, StoreError> {
        self.asked().find_principal(scope, id).await
    }
    async fn list_groups(&self, scope: Scope) -> Result<Vec<(Group, Vec<GroupMember>)>, StoreError> {
        self.asked().list_groups(scope).await
    }
    async fn list_grants(&self, scope: Scope) -> Result<Vec<Grant>, StoreError> {
        self.asked().list_grants(scope).await
    }
    async fn list_granted(&self, to: GrantSubject) -> Result<Vec<Grant>, StoreError> {
        self.asked().list_granted(to).await
    }
}

/// Reads places so that two who read at once have both read before one of them writes.
struct Meeting(FakeStore);

#[async_trait]
impl People for Meeting {
    async fn roster(&self, scope: Scope) -> Result<Option<Roster>, StoreError> {
        let read = self.0.roster(scope).await;
        tokio::task::yield_now().await;
        read
    }
    async fn list_invitations(&self, scope: Scope) -> Result<Vec<Invitation>, StoreError> {
        self.0.list_invitations(scope).await
    }
    async fn find_invitation(&self, digest: Digest) -> Result<Option<Invitation>, StoreError> {
        self.0.find_invitation(digest).await
    }
}

#[async_trait]
impl port::Tenants for Meeting {
    async fn tenant_roster(&self, id: TenantId) -> Result<Option<port::TenantRoster>, StoreError> {
        let read = self.0.tenant_roster(id).await;
        tokio::task::yield_now().await;
        read
    }
    async fn list_tenants(&self, after: Option<TenantId>, limit: u32) -> Result<Vec<Tenant>, StoreError> {
        self.0.list_tenants(after, limit).await
    }
    async fn list_accounts(&self, q: Option<&str>, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StoreError> {
        self.0.list_accounts(q, after, limit).await
    }
    async fn find_workspace_home(&self, id: WorkspaceId) -> Result<Option<Scope>, StoreError> {
        self.0.find_workspace_home(id).await
    }
}

#[async_trait]
impl port::Views for Meeting {
    async fn list_views(&self, scope: Scope, user_id: UserId) -> Result<SeenViews, StoreError> {
        let read = self.0.list_views(scope, user_id).await;
        tokio::task::yield_now().await;
        read
    }
    async fn find_view(&self, scope: Scope, id: ViewId) -> Result<Option<SavedView>, StoreError> {
        self.0.find_view(scope, id).await
    }
}

#[async_trait]
impl SecondFactors for Meeting {
    async fn find_second_factor(&self, user_id: UserId) -> Result<Option<SecondFactor>, StoreError> {
        let read = self.0.find_second_factor(user_id).await;
        tokio::task::yield_now().await;
        read
    }
    async fn find_challenge(&self, digest: Digest) -> Result<Option<MfaChallenge>, StoreError> {
        self.0.find_challenge(digest).await
    }
    async fn prune_challenges(&self, limit: u32) -> Result<u64, StoreError> {
        self.0.prune_challenges(limit).await
    }
}

/// Tells a process of epochs its commits raise.
struct Told(Arc<Epochs>);

impl CommitObserver for Told {
    fn run_events(&self, _: &[RunEvent]) {}
    fn runs_changed(&self, _: &[(Scope, RunId)]) {}
    fn committed(&self, _: usize, _: Duration) {}
    fn events_emitted(&self) {}
    fn epochs_raised(&self, epochs: &[(TenantId, u64)]) {
        self.0.note(epochs);
    }
}

/// A clock that stands until it is turned, and ids that count.
#[derive(Default)]
pub(crate) struct Time {
    seconds: AtomicU64,
    ids: AtomicU64,
}

impl Time {
    pub(crate) fn pass(&self, seconds: u64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    /// The time it shows.
    pub(crate) fn now_at(&self) -> DateTime<Utc> {
        Clock::now(self)
    }
}

impl Clock for Time {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(60_000) + TimeDelta::seconds(self.seconds.load(Ordering::SeqCst) as i64)
    }
    fn monotonic(&self) -> Duration {
        Duration::from_secs(self.seconds.load(Ordering::SeqCst))
    }
    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

impl Ids for Time {
    fn uuid(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.ids.fetch_add(1, Ordering::SeqCst)) + 1)
    }
    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(0);
        let number = self.ids.fetch_add(1, Ordering::SeqCst).to_be_bytes();
        buffer.iter_mut().zip(number.into_iter().rev()).for_each(|(to, from)| *to = from);
    }
}

/// Hashes by prefixing, and counts how often.
#[derive(Default)]
pub(crate) struct Prefixer(pub(crate) AtomicUsize);

#[async_trait]
impl PasswordHasher for Prefixer {
    async fn hash(&self, password: SecretString) -> Result<String, HashError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(format!("new:{}", password.expose()))
    }
    async fn verify(&self, password: SecretString, hash: Option<String>) -> Result<bool, HashError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(hash.is_some_and(|hash| hash.split_once(':').map(|(_, text)| text) == Some(password.expose())))
    }
    fn needs_rehash(&self, hash: &str) -> bool {
        hash.starts_with("old:")
    }
    fn score(&self, password: &SecretString, hints: &[&str]) -> u8 {
        let guessable =
            password.expose() == "password1234" || hints.iter().any(|hint| password.expose().contains(hint));
        if guessable { 1 } else { 4 }
    }
}

struct Signer;

impl Sealer for Signer {
    fn seal(&self, scope: Scope, id: SecretId, version: u32, value: &SecretString) -> Result<Sealed, SealError> {
        self.seal_under(&format!("{scope:?}"), &format!("{id}/{version}"), value.expose().as_bytes())
    }
    fn holds(&self, _: Scope, _: SecretId, _: u32, _: &Sealed, _: &SecretString) -> bool {
        false
    }
    fn seal_under(&self, secret: &str, name: &str, value: &[u8]) -> Result<Sealed, SealError> {
        let nonce = self.sign("under", &[secret.as_bytes(), name.as_bytes()]).to_vec();
        Ok(Sealed { key_id: "k".to_owned(), nonce, ciphertext: value.to_vec() })
    }
    fn open_under(&self, secret: &str, name: &str, sealed: &Sealed) -> Result<Vec<u8>, SealError> {
        let nonce = self.sign("under", &[secret.as_bytes(), name.as_bytes()]);
        if sealed.nonce == nonce { Ok(sealed.ciphertext.clone()) } else { Err(SealError::Unreadable) }
    }
    fn sign(&self, purpose: &'static str, parts: &[&[u8]]) -> [u8; 32] {
        kernel::identity::digest(&[purpose.as_bytes(), &parts.concat()].concat()).0
    }
}

/// Every name is far away.
struct Far;

#[async_trait]
impl Resolver for Far {
    async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, ResolveError> {
        Ok(vec![IpAddr::from([93, 184, 215, 14])])
    }
    fn is_own(&self, _: IpAddr) -> bool {
        false
    }
}

struct AtOnce;

impl Spawner for AtOnce {
    fn spawn(&self, work: BoxFuture<'static, ()>) {
        futures::executor::block_on(work);
    }
}

/// A store with one or two processes on it.
pub(crate) struct World {
    pub(crate) store: Arc<Store>,
    pub(crate) time: Arc<Time>,
    pub(crate) hasher: Arc<Prefixer>,
    pub(crate) provider: Arc<FakeIdentityProvider>,
    pub(crate) identity: Arc<Identity>,
}

/// A tenant with one workspace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub(crate) scope: Scope,
}

impl World {
    pub(crate) fn new() -> Self {
        let (store, time) = (Arc::new(Store::default()), Arc::new(Time::default()));
        let epochs = Arc::new(Epochs::default());
        store.fake.observe(Arc::new(Told(epochs.clone())));
        Self::on(store, time, epochs, Settings::default(), None)
    }

    /// The same on a deployment that sends mail and lets anybody make an account.
    pub(crate) fn with_mail() -> (Self, Arc<FakeMailer>) {
        let (store, time) = (Arc::new(Store::default()), Arc::new(Time::default()));
        let (epochs, mailer) = (Arc::new(Epochs::default()), Arc::new(FakeMailer::default()));
        store.fake.observe(Arc::new(Told(epochs.clone())));
        let settings = Settings { registration: true, ..Settings::default() };
        (Self::on(store, time, epochs, settings, Some(mailer.clone())), mailer)
    }

    /// Another process on the same store: no commit tells it anything.
    pub(crate) fn another(&self) -> Self {
        Self::on(self.store.clone(), self.time.clone(), Arc::new(Epochs::default()), Settings::default(), None)
    }

    fn on(
        store: Arc<Store>,
        time: Arc<Time>,
        epochs: Arc<Epochs>,
        settings: Settings,
        mailer: Option<Arc<FakeMailer>>,
    ) -> Self {
        let hasher = Arc::new(Prefixer::default());
        let provider = Arc::<FakeIdentityProvider>::default();
        let ports = Ports {
            directory: store.clone(),
            people: Arc::new(Meeting(store.fake.clone())),
            subjects: store.clone(),
            catalog: Arc::new(store.fake.clone()),
            second_factors: Arc::new(Meeting(store.fake.clone())),
            accounts: Arc::new(store.fake.clone()),
            tenants: Arc::new(Meeting(store.fake.clone())),
            mails: Arc::new(store.fake.clone()),
            mailer: mailer.map(|mailer| -> Arc<dyn Mailer> { mailer }),
            links: Links {
                reset_password: "https://soit.test/reset-password".to_owned(),
                confirm_email: "https://soit.test/confirm-email".to_owned(),
                invitation: "https://soit.test/invite".to_owned(),
                sign_in: "https://soit.test/sign-in".to_owned(),
            },
            ledger: Arc::new(store.fake.clone()),
            clock: time.clone(),
            ids: time.clone(),
            hasher: hasher.clone(),
            sealer: Arc::new(Signer),
            totp: Arc::new(FakeTotp),
            spawner: Arc::new(AtOnce),
            epochs,
            sso: SsoPorts {
                store: Arc::new(store.fake.clone()),
                provider: provider.clone(),
                resolver: Arc::new(Far),
                deployment: Arc::default(),
                public_url: "https://soit.test".to_owned(),
            },
        };
        Self { store, time, hasher, provider, identity: Arc::new(Identity::new(ports, settings)) }
    }

    /// Saved views of the same store.
    pub(crate) fn views(&self) -> Views {
        Views::new(view::Ports {
            access: self.identity.clone(),
            views: Arc::new(Meeting(self.store.fake.clone())),
            directory: self.store.clone(),
            ledger: Arc::new(self.store.fake.clone()),
            ids: self.time.clone(),
        })
    }

    /// Second factors of the same store.
    pub(crate) fn factors(&self) -> &FakeStore {
        &self.store.fake
    }

    /// Delivers the mails that wait, as the outbox does; what failed is told.
    pub(crate) async fn deliver(&self) -> Vec<kernel::Error> {
        let (fence, lease) =
            (Fence { process_id: ProcessId::from_uuid(Uuid::nil()), epoch: 1 }, Duration::from_secs(60));
        let mut failures = Vec::new();
        for delivery in self.store.fake.claim(MAIL, fence, 100, lease).await.unwrap() {
            match self.identity.deliver(&delivery).await {
                Ok(()) => self.store.fake.done(MAIL, &[delivery]).await.unwrap(),
                Err(error) => {
                    self.store.fake.failed(MAIL, &delivery, "why", Some(Duration::ZERO)).await.unwrap();
                    failures.push(error);
                }
            }
        }
        failures
    }

    /// A session by the digest of its token.
    pub(crate) fn session(&self, token: Digest) -> Session {
        let found = futures::executor::block_on(self.store.fake.find_session(token)).expect("a read");
        found.expect("the session").session
    }

    /// A person as they are stored.
    pub(crate) fn find_user(&self, id: UserId) -> User {
        let found = futures::executor::block_on(self.store.fake.find_account(id)).expect("a read");
        found.expect("the account").user
    }

    /// The role somebody has in a workspace.
    pub(crate) fn role(&self, home: Home, id: UserId) -> Option<Role> {
        let roster = futures::executor::block_on(self.store.fake.roster(home.scope)).expect("a read");
        roster.expect("the workspace").member(id).map(|seat| seat.member.role)
    }

    /// The role somebody has in a tenant.
    pub(crate) fn tenant_role(&self, home: Home, id: UserId) -> Option<TenantRole> {
        let found = self.store.fake.find_tenant_member(home.scope.tenant_id, id);
        futures::executor::block_on(found).expect("a read").map(|member| member.role)
    }

    /// Lets a workspace ask for a second factor from now on.
    pub(crate) fn ask_second_factor(&self, home: Home) {
        let found = futures::executor::block_on(self.store.fake.find_workspace(home.scope)).expect("a read");
        let workspace = found.expect("the workspace");
        let (require_mfa_from, version) = (Some(self.time.now_at()), workspace.version + 1);
        self.put(Row::Workspace(Workspace { require_mfa_from, version, ..workspace }));
    }

    /// The rows of a kind, whatever scope.
    pub(crate) fn fake(&self) -> &FakeStore {
        &self.store.fake
    }

    /// Writes a row as it is.
    pub(crate) fn put(&self, row: Row) {
        let batch = Batch::opening(Scope::INSTANCE, Durability::Power).with([Op::RowPut(Arc::new(row))]);
        futures::executor::block_on(self.store.fake.commit(batch)).expect("a well-formed row");
    }

    /// A model of the workspace, written as rows.
    pub(crate) fn model(&self, home: Home, name: &str) -> types::modelhub::Model {
        let ids: &dyn Ids = &*self.time;
        let (provider, created_at) = (ids.provider(), self.time.now());
        let account = types::modelhub::Provider {
            id: provider,
            name: name.parse().unwrap(),
            slug: name.parse().unwrap(),
            kind: types::modelhub::ProviderKind::OpenaiCompatible,
            base_url: "http://127.0.0.1:9/v1".to_owned(),
            secret_id: None,
            status: types::modelhub::ProviderStatus::Active,
            max_concurrency: 1,
            max_retries: 0,
            timeout_ms: None,
            version: 1,
            created_at,
        };
        self.put(Row::Provider { scope: home.scope, provider: account, archived: false });
        let model = types::modelhub::Model {
            id: ids.model(),
            provider_id: provider,
            model_id: "m".to_owned(),
            model_ref: format!("model:{name}:m"),
            display_name: name.to_owned(),
            capabilities: Vec::new(),
            context_window: None,
            max_output_tokens: None,
            tokenizer: types::modelhub::Tokenizer::Auto,
            enabled: true,
            version: 1,
            created_at,
        };
        self.put(Row::Model(home.scope, model.clone()));
        model
    }

    /// What was audited in a place.
    pub(crate) fn audit(&self, scope: Scope) -> Vec<Audit> {
        self.store.fake.audit(scope)
    }

    /// Whether something of this name was audited in a place, and how often.
    pub(crate) fn count(&self, scope: Scope, event: &str) -> usize {
        self.audit(scope).iter().filter(|audit| audit.event_type == event).count()
    }

    pub(crate) fn home(&self, slug: &str) -> Home {
        let ids: &dyn Ids = &*self.time;
        let scope = Scope { tenant_id: ids.tenant(), workspace_id: ids.workspace() };
        let (name, slug) = (slug.parse().unwrap(), slug.parse::<types::name::Slug>().unwrap());
        self.put(Row::Tenant(Tenant {
            id: scope.tenant_id,
            name,
            slug: slug.clone(),
            active: true,
            content_capture: Capture::Full,
            deleted_at: None,
            version: 1,
        }));
        self.put(Row::Workspace(Workspace {
            id: scope.workspace_id,
            tenant_id: scope.tenant_id,
            name: slug.as_str().parse().unwrap(),
            slug,
            archived: false,
            unpriced_call_policy: UnpricedPolicy::Allow,
            content_capture: Capture::Redacted,
            require_mfa_from: None,
            version: 1,
        }));
        Home { scope }
    }

    pub(crate) fn user(&self, email: &str) -> User {
        let ids: &dyn Ids = &*self.time;
        let user = User {
            id: ids.user(),
            email: email.to_owned(),
            email_key: email.to_owned(),
            name: email.split('@').next().unwrap().parse().unwrap(),
            status: UserStatus::Active,
            is_operator: false,
            password_hash: Some(format!("new:{PASSWORD}")),
            default_password: false,
            created_at: self.time.now(),
            email_verified_at: None,
            closes_at: None,
            version: 1,
        };
        self.put(Row::User(user.clone()));
        user
    }

    /// A place in the tenant alone.
    pub(crate) fn place(&self, home: Home, user_id: UserId, role: TenantRole) {
        let tenant_id = home.scope.tenant_id;
        self.put(Row::TenantMember(TenantMember { tenant_id, user_id, role, removed_at: None, version: 1 }));
    }

    pub(crate) fn join(&self, home: Home, user_id: UserId, role: Role) {
        let scope = home.scope;
        let tenant_role = if role == Role::Owner { TenantRole::Owner } else { TenantRole::Member };
        self.place(home, user_id, tenant_role);
        let joined_at = self.time.now();
        let member = WorkspaceMember { scope, user_id, role, joined_at, removed_at: None, version: 1 };
        self.put(Row::WorkspaceMember(member));
    }

    /// Somebody with this role, signed in.
    pub(crate) async fn signed_in(&self, home: Home, role: Role) -> OpContext {
        let email = format!("{role}-{}@example.com", self.time.uuid().as_u128());
        let user = self.user(&email);
        self.join(home, user.id, role);
        let tokens = self.login(&email, PASSWORD).await.expect("the password is right");
        self.ask(&tokens.access_token).await.expect("the token is fresh")
    }

    /// Signs in who has no second factor.
    pub(crate) async fn login(&self, email: &str, password: &str) -> kernel::Result<LoggedIn> {
        match self.first_step(email, password).await? {
            LoginAnswer::LoggedIn(logged_in) => Ok(*logged_in),
            LoginAnswer::MfaRequired(_) => panic!("a second factor is asked for"),
        }
    }

    /// Signs in as far as the password goes.
    pub(crate) async fn first_step(&self, email: &str, password: &str) -> kernel::Result<LoginAnswer> {
        let command = Login { email: email.to_owned(), password: password.to_owned() };
        self.identity.login(&client(), &command).await
    }

    pub(crate) async fn ask(&self, token: &str) -> kernel::Result<OpContext> {
        self.ask_at(token, Place::Workspace { path: None, header: None }).await
    }

    pub(crate) async fn ask_at(&self, token: &str, place: Place) -> kernel::Result<OpContext> {
        let presented = Presented::Token(SecretString::new(token.to_owned()));
        Ok(self.identity.authenticate(&client(), Some(&presented), &place).await?)
    }

    pub(crate) fn queries(&self) -> usize {
        self.store.queries.load(Ordering::SeqCst)
    }

    /// The same caller with a fresh proof of who they are.
    pub(crate) async fn elevated(&self, ctx: &OpContext) -> OpContext {
        let proof = StepUp { password: Some(PASSWORD.to_owned()), code: None };
        self.identity.step_up(ctx, &client(), &proof, None).await.expect("the password is right");
        self.identity.reauthenticate(ctx).await.expect("still signed in")
    }
}

pub(crate) fn client() -> Client {
    client_at([192, 0, 2, 1])
}

pub(crate) fn client_at(address: [u8; 4]) -> Client {
    Client {
        address: Some(IpAddr::from(address)),
        label: "test".to_owned(),
        device: None,
        entry: Entry::Api,
        request_id: RequestId::from_uuid(Uuid::nil()),
        trace_id: "0".repeat(32),
    }
}

pub(crate) fn first_account() -> FirstAccount {
    FirstAccount {
        email: "admin@example.com".to_owned(),
        password: SecretString::new("changeme123".to_owned()),
        is_default_password: true,
        tenant: "default".parse().unwrap(),
        workspace: "default".parse().unwrap(),
    }
}

/// A key without limits.
pub(crate) fn wanted(scopes: &[Reach]) -> CreateApiKey {
    CreateApiKey {
        name: "ci".parse().unwrap(),
        scopes: scopes.to_vec(),
        expires_in_days: None,
        rate_limit_per_minute: None,
        daily_request_quota: None,
        daily_token_quota: None,
        ip_allowlist: None,
        allowed_models: None,
        allowed_tools: None,
        principal_id: None,
        content_capture: None,
        labels: None,
    }
}
