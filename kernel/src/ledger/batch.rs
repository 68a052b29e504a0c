//! What one decision writes: a value the kernel builds and the store applies whole or not at all.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;
use types::artifact::ArtifactKind;
use types::audit::Outcome;
use types::cost::Cost;
use types::id::{
    ApiKeyId, ArtifactId, AuditId, CallId, EventId, HoldId, ProcessId, RequestId, RunId, SessionId, StepId, TenantId,
    UserId, Uuid,
};
use types::outbox::DeliveryId;
use types::run::{Caller, Capture, Content, Effect, Entry, Failure, Mode, RunStatus, Source, StepStatus, StepType};

use super::{ClaimEnd, ClaimKey, CounterKey, Dimensions, NewClaim, TaskOp};
use crate::chain::{Rotation, Salt};
use crate::context::Scope;
use crate::port::ObjectKey;
use crate::record::{Digest, Row};

/// What a batch must survive once its caller is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// A killed process.
    Process,
    /// A power cut.
    Power,
}

/// Which queue a batch waits in. Closing work is never kept waiting by admissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Starts something: may be refused when the queue is full.
    Opening,
    /// Ends something that already happened.
    Closing,
}

/// The process that does request-bound work; a declared-dead one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The process.
    pub process_id: ProcessId,
    /// Its epoch.
    pub epoch: u64,
}

/// Everything one decision writes. At most 1,000 operations of one workspace.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Tenant and workspace of every operation.
    pub scope: Scope,
    /// What it must survive.
    pub durability: Durability,
    /// Which queue.
    pub lane: Lane,
    /// The epoch it was decided under; a stale one is refused.
    pub auth_epoch: Option<u64>,
    /// The process doing the work; a declared-dead one is refused.
    pub fence: Option<Fence>,
    /// In order; later ones see earlier ones.
    pub ops: Vec<Op>,
}

impl Batch {
    /// An empty batch that starts something.
    pub fn opening(scope: Scope, durability: Durability) -> Self {
        Self { scope, durability, lane: Lane::Opening, auth_epoch: None, fence: None, ops: Vec::new() }
    }

    /// An empty batch that ends something; always synced.
    pub fn closing(scope: Scope) -> Self {
        Self { lane: Lane::Closing, ..Self::opening(scope, Durability::Power) }
    }

    /// Demands that access rules have not changed since the decision.
    #[must_use]
    pub fn under_epoch(mut self, auth_epoch: u64) -> Self {
        self.auth_epoch = Some(auth_epoch);
        self
    }

    /// Demands that the process still counts as alive.
    #[must_use]
    pub fn fenced(mut self, fence: Fence) -> Self {
        self.fence = Some(fence);
        self
    }

    /// Adds an operation.
    pub fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// Adds operations, builder style.
    #[must_use]
    pub fn with(mut self, ops: impl IntoIterator<Item = Op>) -> Self {
        self.ops.extend(ops);
        self
    }
}

/// One operation. Its precondition, if it has one, refuses the whole batch.
#[derive(Clone, Debug)]
pub enum Op {
    /// A new run.
    RunOpen(Arc<NewRun>),
    /// A run moves on. Final states need an end; no step may be open and no hold held then.
    RunMove {
        /// Which run.
        run_id: RunId,
        /// Where it goes; the state machine must allow it.
        to: RunStatus,
        /// How it ended, for final states.
        end: Option<Arc<RunEnd>>,
    },
    /// One more refusal that the run stands for, whatever its state: equal refusals of a few seconds share one run.
    RefusalCount {
        /// Which run.
        run_id: RunId,
    },
    /// An answer was given again under a caller's key: nothing happened, but somebody asked.
    ReplayCount {
        /// What tells the call apart; its time is that of the answer.
        call: Arc<Dimensions>,
        /// The word of cost rows for what was called for.
        operation: &'static str,
    },
    /// A new step of a run that is neither final nor canceling. The store gives the sequence number.
    StepOpen(Arc<NewStep>),
    /// The effect is about to be let out.
    StepMark {
        /// Which step.
        step_id: StepId,
        /// When.
        at: DateTime<Utc>,
    },
    /// A step closes, once.
    StepClose(Arc<StepEnd>),
    /// A counter moves at once; refused where it would pass its limit.
    CounterAdd {
        /// Which one.
        key: CounterKey,
        /// By how much.
        delta: i64,
        /// What value and held together may reach.
        limit: Option<i64>,
    },
    /// Holds the worst case on every line, all or none.
    HoldPlace(Arc<Hold>),
    /// Books what it really was and lets the hold go.
    HoldSettle {
        /// Which hold.
        hold_id: HoldId,
        /// What to book, on held lines or others.
        lines: Vec<SettleLine>,
    },
    /// Lets the hold go and books nothing.
    HoldRelease {
        /// Which hold.
        hold_id: HoldId,
    },
    /// A cost row; its `source_ref` is unique in the tenant.
    CostAdd(Arc<Cost>),
    /// Writes a row of the domain; version and named constraints guard it.
    RowPut(Arc<Row>),
    /// Notes a use without a version: late or lost ones do no harm.
    Touch(Touch),
    /// Raises a tenant's epoch: every decision made before in it is stale. A change of a person names each of their tenants.
    EpochRaise(TenantId),
    /// Demands that a tenant's epoch has not moved since the decision: for what is decided on several tenants at once.
    EpochHold {
        /// Which tenant.
        tenant_id: TenantId,
        /// Its epoch when it was decided.
        epoch: u64,
    },
    /// Claims a caller's key; refused where somebody else holds it or it is done.
    KeyClaim(Arc<NewClaim>),
    /// Ends a claim with what it came to. Does nothing where the key is not the holder's any more.
    KeyFinish(Arc<ClaimEnd>),
    /// Lets a claimed key go: nothing happened under it. Does nothing where the key is not the holder's any more.
    KeyRelease {
        /// Which key.
        key: ClaimKey,
        /// Who held it.
        holder: Uuid,
        /// Until when it is remembered that it was tried.
        expires_at: DateTime<Utc>,
    },
    /// An audit row. The store gives the sequence number.
    AuditAppend(Arc<Audit>),
    /// A signing key that took over: an entry of the chain alone.
    KeyRotate(Arc<Rotation>),
    /// An outbox event. The store gives the number within its subject.
    EventEmit(Arc<Event>),
    /// Content that is kept whole. Where it lies in the artifact store, it lies there already.
    ArtifactAdd(Arc<NewArtifact>),
    /// A stored event of a run's live stream. The store gives the offset.
    RunEventAppend(Arc<NewRunEvent>),
    /// Something happens to a task.
    Task(TaskOp),
    /// Somebody decided about a delivery that was given up. One that is not dead, or died anew since, stays as it is.
    DeliveryResolve(Arc<Resolution>),
}

/// A use worth remembering to the minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A key was used.
    ApiKey {
        /// Which one.
        id: ApiKeyId,
        /// When.
        at: DateTime<Utc>,
        /// From where.
        address: Option<String>,
    },
    /// A session was seen; idle time starts anew.
    Session {
        /// Which one.
        id: SessionId,
        /// When.
        at: DateTime<Utc>,
        /// The new end of its idle time.
        token_expires_at: DateTime<Utc>,
    },
}

/// The fixed part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// The run's id.
    pub id: RunId,
    /// What kind of execution.
    pub mode: Mode,
    /// Who made soit do it.
    pub source: Source,
    /// Through which door.
    pub entry: Entry,
    /// `Queued` or `Running`.
    pub status: RunStatus,
    /// Who asked.
    pub caller: Caller,
    /// The person answered for, where there is one.
    pub user_id: Option<UserId>,
    /// The key used.
    pub api_key_id: Option<ApiKeyId>,
    /// First run of the family.
    pub root_run_id: RunId,
    /// The run that started it.
    pub parent_run_id: Option<RunId>,
    /// The run it repeats.
    pub source_run_id: Option<RunId>,
    /// 1 for the first attempt.
    pub attempt_no: u32,
    /// How much content is kept.
    pub capture: Capture,
    /// W3C trace id.
    pub trace_id: String,
    /// The HTTP request.
    pub request_id: Option<RequestId>,
    /// The policy bundle.
    pub policy_revision: String,
    /// Kept out of production statistics.
    pub sandbox: bool,
    /// The model asked for.
    pub model_ref: Option<String>,
    /// What went in.
    pub input: Content,
    /// Salt of the commitments to its content, where content is kept.
    pub salt: Option<Salt>,
    /// Labels of the caller.
    pub labels: std::collections::BTreeMap<String, String>,
    /// The process doing it, for request-bound work.
    pub owner: Option<Fence>,
    /// Admission.
    pub started_at: DateTime<Utc>,
}

/// An artifact with the place of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewArtifact {
    /// The artifact's id.
    pub id: ArtifactId,
    /// The run it belongs to.
    pub run_id: Option<RunId>,
    /// The step it came out of.
    pub step_id: Option<StepId>,
    /// What it holds.
    pub kind: ArtifactKind,
    /// Its media type.
    pub mime: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of the bytes.
    pub sha256: Digest,
    /// Where the bytes are.
    pub place: Place,
    /// When it goes, for what is kept for a while.
    pub expires_at: Option<DateTime<Utc>>,
}

/// Where the bytes of an artifact are.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// In its row.
    Inline(Vec<u8>),
    /// In the artifact store.
    Object(ObjectKey),
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Inline(_) => f.write_str("Inline(…)"),
            Self::Object(key) => write!(f, "Object({key})"),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEnd {
    /// When.
    pub ended_at: DateTime<Utc>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// What went in as a whole, where it was kept.
    pub input_artifact: Option<ArtifactId>,
    /// What came out.
    pub output: Content,
    /// Whether the caller got the whole answer.
    pub delivered: Option<bool>,
    /// Marks.
    pub flags: Vec<String>,
}

/// The fixed part of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct NewStep {
    /// The step's id.
    pub id: StepId,
    /// Its run.
    pub run_id: RunId,
    /// The step it belongs under.
    pub parent_step_id: Option<StepId>,
    /// Shared by the attempts of one call.
    pub call_id: Option<CallId>,
    /// What it is.
    pub step_type: StepType,
    /// 1 for the first attempt.
    pub attempt_no: u32,
    /// What it does to the world.
    pub effect: Effect,
    /// The decision it was allowed by.
    pub decision: Value,
    /// SHA-256 of the canonical request, hex.
    pub request_digest: Option<String>,
    /// What went in.
    pub input: Content,
    /// Ids, enums and numbers known at the start.
    pub metrics: Value,
    /// When.
    pub started_at: DateTime<Utc>,
    /// Set where the intent batch is also the outbound mark.
    pub outbound_at: Option<DateTime<Utc>>,
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq)]
pub struct StepEnd {
    /// Which step.
    pub step_id: StepId,
    /// A closed state.
    pub status: StepStatus,
    /// When.
    pub ended_at: DateTime<Utc>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// What went in as a whole, where it was kept.
    pub input_artifact: Option<ArtifactId>,
    /// What came out.
    pub output: Content,
    /// Replaces what was known at the start.
    pub metrics: Value,
    /// Milliseconds to the first content.
    pub ttft_ms: Option<u64>,
}

/// A worst case held on counters until the step that caused it closes.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// The hold's id.
    pub id: HoldId,
    /// The run it serves.
    pub run_id: RunId,
    /// The step it lives and dies with.
    pub step_id: StepId,
    /// What is held where; checked in this order.
    pub lines: Vec<HoldLine>,
    /// The cost row of the whole hold, booked if the process dies after the call went out.
    pub worst_case: Option<Box<Cost>>,
}

/// One counter of a hold.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HoldLine {
    /// Which counter.
    pub key: CounterKey,
    /// How much.
    pub amount: i64,
    /// What value and held together may reach; none for counters that only count.
    pub limit: Option<i64>,
}

/// What a settled hold books on one counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettleLine {
    /// Which counter.
    pub key: CounterKey,
    /// How much.
    pub amount: i64,
}

/// An audit row: who did what to which thing, with before and after but never a secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// The row's id.
    pub id: AuditId,
    /// Past-tense dotted name: `key.created`.
    pub event_type: String,
    /// `resource.action` of the matrix, where one was decided.
    pub operation: String,
    /// What it came to.
    pub outcome: Outcome,
    /// Type of the thing.
    pub resource_type: String,
    /// Its id.
    pub resource_id: String,
    /// Who did it.
    pub actor: Caller,
    /// The run it belongs to.
    pub run_id: Option<RunId>,
    /// The client's address.
    pub address: Option<String>,
    /// The credential used.
    pub credential_id: Option<String>,
    /// Redacted details.
    pub payload: Value,
    /// When.
    pub occurred_at: DateTime<Utc>,
}

/// An outbox event; one delivery row for each subscribed consumer is written beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The event's id.
    pub id: EventId,
    /// Past-tense dotted name: `run.finished`.
    pub event_type: String,
    /// What it is about, as an id; events of one subject are delivered in order.
    pub subject: String,
    /// The run it belongs to.
    pub run_id: Option<RunId>,
    /// What happened; at most 64 KiB.
    pub payload: Value,
    /// When.
    pub occurred_at: DateTime<Utc>,
    /// Names of the consumers that want it.
    pub consumers: Vec<&'static str>,
}

/// A run event without its offset.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRunEvent {
    /// The run.
    pub run_id: RunId,
    /// Past-tense dotted name.
    pub event_type: &'static str,
    /// The step concerned.
    pub step_id: Option<StepId>,
    /// What happened; at most 32 KiB.
    pub payload: Value,
    /// When.
    pub occurred_at: DateTime<Utc>,
}

/// What is decided about a delivery that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Which delivery.
    pub delivery: DeliveryId,
    /// Its epoch when it was looked at.
    pub epoch: u64,
    /// What becomes of it.
    pub verdict: Verdict,
}

/// What becomes of a delivery that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is tried again, from its first attempt, before later ones of its subject.
    Redrive,
    /// It is over, for this reason.
    Discard(String),
}
