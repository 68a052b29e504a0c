//! A small world to write batches about: a tenant, its workspace, its owner, and ids that count up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::ledger::{
    Audit, Batch, Durability, Event, Fence, Hold, HoldLine, NewRun, NewRunEvent, NewStep, NewTask, Op, Outcome, RunEnd,
    SettleLine, StepEnd,
};
use kernel::port::Ids;
use kernel::record::{ApiKey, Digest, KeySecret, Row, Tenant, TenantMember, User, Workspace, WorkspaceMember};
use serde_json::json;
use types::cost::{Cost, CostKind, PricingStatus, UsageBasis};
use types::id::{ApiKeyId, HoldId, RunId, StepId, TenantId, UserId, Uuid, WorkspaceId};
use types::identity::{Role, Scope as Reach, TenantRole, UnpricedPolicy, UserStatus};
use types::money::{Amount, Currency};
use types::run::{
    Caller, CallerKind, Capture, Content, Effect, Entry, Mode, RunStatus, Source, StepStatus, StepType, Usage,
    UsageClass,
};
use types::task::TaskSubject;

/// Ids that count up, the same in every run of a test.
#[derive(Debug, Default)]
pub struct FakeIds(AtomicU64);

impl Ids for FakeIds {
    fn uuid(&self) -> Uuid {
        let number = u128::from(self.0.fetch_add(1, Ordering::Relaxed));
        // A UUIDv7 of 2026-01-01 whose last bits count.
        Uuid::from_u128((0x019b_7697_0400 << 80) | (0x7 << 76) | (0x2 << 62) | number)
    }

    fn random(&self, buffer: &mut [u8]) {
        let number = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        for (to, from) in buffer.iter_mut().zip(number.iter().cycle()) {
            *to = *from;
        }
    }
}

/// The time of admission in samples.
pub fn noon() -> DateTime<Utc> {
    "2026-01-15T12:00:00.000001Z".parse().expect("a time")
}

/// A tenant, its workspace and its owner; makes batches about them.
pub struct Sample {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The owner of both.
    pub user_id: UserId,
    /// A key of the owner.
    pub key_id: ApiKeyId,
    /// Where ids come from.
    pub ids: FakeIds,
    name: &'static str,
}

impl Default for Sample {
    fn default() -> Self {
        Self::named("sample", 1)
    }
}

impl Sample {
    /// A world of another name and number, beside others in one store.
    pub fn named(name: &'static str, number: u64) -> Self {
        let ids = FakeIds(AtomicU64::new(number << 40));
        let scope =
            Scope { tenant_id: TenantId::from_uuid(ids.uuid()), workspace_id: WorkspaceId::from_uuid(ids.uuid()) };
        let (user_id, key_id) = (UserId::from_uuid(ids.uuid()), ApiKeyId::from_uuid(ids.uuid()));
        Self { scope, user_id, key_id, ids, name }
    }

    /// Ids of the port.
    pub fn ids(&self) -> &dyn Ids {
        &self.ids
    }

    /// The batch that makes the world.
    pub fn seed(&self) -> Batch {
        self.opening(
            [
                Row::Tenant(self.tenant()),
                Row::Workspace(self.workspace()),
                Row::User(self.user()),
                Row::TenantMember(TenantMember {
                    tenant_id: self.scope.tenant_id,
                    user_id: self.user_id,
                    role: TenantRole::Owner,
                    removed_at: None,
                    version: 1,
                }),
                Row::WorkspaceMember(WorkspaceMember {
                    scope: self.scope,
                    user_id: self.user_id,
                    role: Role::Owner,
                    joined_at: noon(),
                    removed_at: None,
                    version: 1,
                }),
                Row::ApiKey(self.api_key()),
                Row::KeySecret(self.key_secret()),
            ]
            .map(put),
        )
    }

    /// The tenant.
    pub fn tenant(&self) -> Tenant {
        Tenant {
            id: self.scope.tenant_id,
            name: self.name.parse().expect("a name"),
            slug: self.name.parse().expect("a slug"),
            active: true,
            content_capture: Capture::Full,
            deleted_at: None,
            version: 1,
        }
    }

    /// The workspace.
    pub fn workspace(&self) -> Workspace {
        Workspace {
            id: self.scope.workspace_id,
            tenant_id: self.scope.tenant_id,
            name: self.name.parse().expect("a name"),
            slug: self.name.parse().expect("a slug"),
            archived: false,
            unpriced_call_policy: UnpricedPolicy::RefuseWhenBudgeted,
            content_capture: Capture::Full,
            require_mfa_from: None,
            version: 1,
        }
    }

    /// The owner.
    pub fn user(&self) -> User {
        User {
            id: self.user_id,
            email: format!("Owner@{}.example", self.name),
            email_key: format!("owner@{}.example", self.name),
            name: "Owner".parse().expect("a name"),
            status: UserStatus::Active,
            is_operator: false,
            password_hash: Some("$argon2id$…".to_owned()),
            default_password: false,
            created_at: noon(),
            email_verified_at: None,
            closes_at: None,
            version: 1,
        }
    }

    /// The owner's key.
    pub fn api_key(&self) -> ApiKey {
        ApiKey {
            id: self.key_id,
            scope: self.scope,
            name: "Key".parse().expect("a name"),
            hint: "sk_abcd…wxyz".to_owned(),
            scopes: vec![Reach::Read, Reach::Write],
            created_by: self.user_id,
            created_at: noon(),
            expires_at: noon() + Duration::from_secs(90 * 86_400),
            revoked_at: None,
            last_used_at: None,
            last_used_address: None,
            rate_limit_per_minute: Some(60),
            daily_request_quota: None,
            daily_token_quota: Some(1_000_000),
            ip_allowlist: Some(vec!["10.0.0.0/8".parse().expect("a network")]),
            content_capture: None,
            labels: Default::default(),
            principal_id: None,
            allowed_models: Some(Vec::new()),
            allowed_tools: Some(["tool:http:search".to_owned()].into()),
            version: 1,
        }
    }

    /// The key's secret: its digest is the tenant's id, twice.
    pub fn key_secret(&self) -> KeySecret {
        KeySecret {
            id: self.ids().key_secret(),
            scope: self.scope,
            key_id: self.key_id,
            digest: self.digest(0),
            expires_at: None,
            version: 1,
        }
    }

    /// A digest of this world.
    pub fn digest(&self, number: u8) -> Digest {
        let mut digest = [number; 32];
        for (to, from) in digest.iter_mut().zip(self.scope.tenant_id.as_uuid().as_bytes()) {
            *to = *from;
        }
        Digest(digest)
    }

    /// A batch that starts something.
    pub fn opening(&self, ops: impl IntoIterator<Item = Op>) -> Batch {
        Batch::opening(self.scope, Durability::Process).with(ops)
    }

    /// A batch that ends something.
    pub fn closing(&self, ops: impl IntoIterator<Item = Op>) -> Batch {
        Batch::closing(self.scope).with(ops)
    }

    /// A running run.
    pub fn run(&self) -> NewRun {
        let id = self.ids().run();
        NewRun {
            id,
            mode: Mode::Gateway,
            source: Source::Gateway,
            entry: Entry::Openai,
            status: RunStatus::Running,
            caller: self.caller(),
            user_id: Some(self.user_id),
            api_key_id: Some(self.key_id),
            root_run_id: id,
            parent_run_id: None,
            source_run_id: None,
            attempt_no: 1,
            capture: Capture::Full,
            trace_id: format!("{:032x}", id.as_uuid().as_u128()),
            request_id: Some(self.ids().request()),
            policy_revision: "pb_0000000000000000".to_owned(),
            sandbox: false,
            model_ref: Some("model:test:echo".to_owned()),
            input: Content { preview: Some("a question".to_owned()), chars: 10, artifact_id: None },
            salt: Some(*b"salt of a sample"),
            labels: BTreeMap::from([("team".to_owned(), "search".to_owned())]),
            owner: None,
            started_at: noon(),
        }
    }

    /// A run of a process.
    pub fn owned_run(&self, owner: Fence) -> NewRun {
        NewRun { owner: Some(owner), ..self.run() }
    }

    /// Who asks.
    pub fn caller(&self) -> Caller {
        Caller { kind: CallerKind::User, id: self.user_id.to_string() }
    }

    /// A task of no run.
    pub fn task(&self) -> NewTask {
        NewTask {
            id: self.ids().task(),
            task_type: kernel::task::CONTENT_SCRUB.to_owned(),
            max_attempts: kernel::task::MAX_ATTEMPTS,
            subject: TaskSubject { kind: "workspace".to_owned(), id: self.scope.workspace_id.to_string() },
            caller: self.caller(),
            user_id: Some(self.user_id),
            run_id: None,
            params: json!({ "before": noon() }),
            input_artifact: None,
            delay: Duration::ZERO,
        }
    }

    /// An open model call of a run.
    pub fn step(&self, run_id: RunId) -> NewStep {
        NewStep {
            id: self.ids().step(),
            run_id,
            parent_step_id: None,
            call_id: Some(self.ids().call()),
            step_type: StepType::ModelCall,
            attempt_no: 1,
            effect: Effect::None,
            decision: json!({ "gates": ["key", "budget"] }),
            request_digest: Some("ab".repeat(32)),
            input: Content::default(),
            metrics: json!({ "model": "echo" }),
            started_at: noon(),
            outbound_at: None,
        }
    }

    /// A hold of a step on counters.
    pub fn hold(&self, step: &NewStep, lines: Vec<HoldLine>) -> Hold {
        Hold { id: self.ids().hold(), run_id: step.run_id, step_id: step.id, lines, worst_case: None }
    }

    /// A cost row of a step.
    pub fn cost(&self, run_id: RunId, step_id: StepId, nanos: i64) -> Cost {
        let mut usage = Usage::default();
        usage.set(UsageClass::Input, 10);
        usage.set(UsageClass::Output, 5);
        Cost {
            id: self.ids().cost(),
            run_id,
            step_id,
            kind: CostKind::Charge,
            occurred_at: noon(),
            source_ref: format!("step:{step_id}"),
            source_port: "llm".to_owned(),
            operation: "chat".to_owned(),
            provider: "test".to_owned(),
            provider_id: None,
            model_ref: "model:test:echo".to_owned(),
            target_ref: "model:test:echo".to_owned(),
            upstream_model: "echo".to_owned(),
            upstream_id: Some("chatcmpl-1".to_owned()),
            upstream_request_id: None,
            api_key_id: Some(self.key_id),
            usage,
            usage_basis: UsageBasis::Provider,
            pricing_status: PricingStatus::Priced,
            reason: None,
            currency: Some(Currency::USD),
            amount: Some(Amount::from_nanos(nanos)),
            price_id: Some(self.ids().price()),
            snapshot: json!({ "rates": { "input": "0.15" } }),
        }
    }

    /// An audit row.
    pub fn audit(&self) -> Audit {
        Audit {
            id: self.ids().audit(),
            event_type: "key.created".to_owned(),
            operation: "api_key.create".to_owned(),
            outcome: Outcome::Done,
            resource_type: "api_key".to_owned(),
            resource_id: self.key_id.to_string(),
            actor: self.caller(),
            run_id: None,
            address: Some("10.0.0.1".to_owned()),
            credential_id: None,
            payload: json!({ "name": "Key" }),
            occurred_at: noon(),
        }
    }

    /// An outbox event for one consumer.
    pub fn event(&self, subject: impl ToString, consumer: &'static str) -> Event {
        Event {
            id: self.ids().event(),
            event_type: "run.finished".to_owned(),
            subject: subject.to_string(),
            run_id: None,
            payload: json!({ "status": "succeeded" }),
            occurred_at: noon(),
            consumers: vec![consumer],
        }
    }

    /// A stored event of a run.
    pub fn run_event(&self, run_id: RunId, event_type: &'static str) -> NewRunEvent {
        NewRunEvent { run_id, event_type, step_id: None, payload: json!({ "n": 1 }), occurred_at: noon() }
    }
}

/// How a step ends well, a second after noon.
pub fn step_end(step_id: StepId) -> StepEnd {
    StepEnd {
        step_id,
        status: StepStatus::Succeeded,
        ended_at: noon() + Duration::from_secs(1),
        error: None,
        input_artifact: None,
        output: Content { preview: Some("an answer".to_owned()), chars: 9, artifact_id: None },
        metrics: json!({ "model": "echo", "usage": 15 }),
        ttft_ms: Some(250),
    }
}

/// How a run ends well, a second after noon.
pub fn run_end() -> RunEnd {
    RunEnd {
        ended_at: noon() + Duration::from_secs(1),
        error: None,
        input_artifact: None,
        output: Content { preview: Some("an answer".to_owned()), chars: 9, artifact_id: None },
        delivered: Some(true),
        flags: Vec::new(),
    }
}

/// Writes a row.
pub fn put(row: Row) -> Op {
    Op::RowPut(Arc::new(row))
}

/// Opens a run.
pub fn open_run(run: &NewRun) -> Op {
    Op::RunOpen(Arc::new(run.clone()))
}

/// Moves a run; final states end it.
pub fn move_run(run_id: RunId, to: RunStatus) -> Op {
    Op::RunMove { run_id, to, end: to.is_final().then(|| Arc::new(run_end())) }
}

/// Opens a step.
pub fn open_step(step: &NewStep) -> Op {
    Op::StepOpen(Arc::new(step.clone()))
}

/// Closes a step well.
pub fn close_step(step_id: StepId) -> Op {
    Op::StepClose(Arc::new(step_end(step_id)))
}

/// Places a hold.
pub fn place(hold: &Hold) -> Op {
    Op::HoldPlace(Arc::new(hold.clone()))
}

/// Settles a hold on its first counter.
pub fn settle(hold: &Hold, amount: i64) -> Op {
    let lines = hold.lines.first().map(|line| SettleLine { key: line.key.clone(), amount });
    Op::HoldSettle { hold_id: hold.id, lines: lines.into_iter().collect() }
}

/// Releases a hold.
pub fn release(hold_id: HoldId) -> Op {
    Op::HoldRelease { hold_id }
}

/// Books a cost.
pub fn add_cost(cost: &Cost) -> Op {
    Op::CostAdd(Arc::new(cost.clone()))
}

/// Stores an event of a run.
pub fn append(event: NewRunEvent) -> Op {
    Op::RunEventAppend(Arc::new(event))
}
