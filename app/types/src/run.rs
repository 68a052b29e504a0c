//! Runs, steps and run events as readers see them, and the enums the ledger persists.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{ApiKeyId, ArtifactId, CallId, RequestId, RunId, StepId, UserId, WorkspaceId};
use crate::money::Money;
pub use crate::run_query::{CanceledRuns, RunFacets, RunFilter, RunMark, RunPage, RunQuery, RunSort, Term};
use crate::word::words;

words! {
    /// Why a run or step ended, where it was not a refusal. Each has a page under `docs/errors/`.
    pub enum EndReason {
        /// The process that did it is gone.
        ProcessLost = "process_lost",
        /// The process ended before it was complete.
        ProcessShutdown = "process_shutdown",
        /// Somebody canceled it before it was complete.
        RunCanceled = "run_canceled",
        /// The client left before its answer was complete.
        ClientDisconnected = "client_disconnected",
        /// The provider's stream was given up because nobody read it any more.
        StreamAbandoned = "stream_abandoned",
    }
}
words! {
    /// What kind of execution a run is.
    pub enum Mode {
        /// A call at `/v1`.
        Gateway = "gateway",
        /// A playground column.
        Chat = "chat",
        /// `/responses` without an agent.
        Response = "response",
        /// An agent run.
        Agent = "agent",
        /// A workflow run.
        Workflow = "workflow",
        /// A direct tool call.
        Tool = "tool",
        /// A knowledge query.
        KnowledgeQuery = "knowledge_query",
        /// An ingestion.
        KnowledgeIngest = "knowledge_ingest",
        /// A source synchronisation.
        KnowledgeSync = "knowledge_sync",
        /// An evaluation.
        Evaluation = "evaluation",
    }
}
words! {
    /// Who made soit do it.
    pub enum Source {
        /// soit's own surfaces.
        Platform = "platform",
        /// The model gateway.
        Gateway = "gateway",
        /// A rehearsal: outside production statistics.
        Rehearsal = "rehearsal",
    }
}
words! {
    /// Through which door a run came.
    pub enum Entry {
        /// `/api/v1`.
        Api = "api",
        /// The OpenAI envelope at `/v1`.
        Openai = "openai",
        /// The Anthropic envelope at `/v1`.
        Anthropic = "anthropic",
        /// `/mcp`.
        Mcp = "mcp",
        /// The browser console.
        Console = "console",
        /// The command line.
        Cli = "cli",
        /// A schedule.
        Schedule = "schedule",
        /// A trigger.
        Trigger = "trigger",
        /// A foreign engine.
        Engine = "engine",
        /// soit itself.
        Internal = "internal",
    }
}
words! {
    /// Where a run stands.
    pub enum RunStatus {
        /// Waits for a worker.
        Queued = "queued",
        /// Works.
        Running = "running",
        /// Waits for input.
        WaitingInput = "waiting_input",
        /// Waits for an approval.
        WaitingApproval = "waiting_approval",
        /// Paused by a person.
        Paused = "paused",
        /// Being canceled.
        Canceling = "canceling",
        /// Ended well.
        Succeeded = "succeeded",
        /// Ended badly.
        Failed = "failed",
        /// Ended by a person.
        Canceled = "canceled",
        /// Ended by its deadline.
        Expired = "expired",
    }
}

impl RunStatus {
    /// Whether nothing can change any more.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Canceled | Self::Expired)
    }

    /// Whether the state machine allows the move (ledger rules; a retry is a new run).
    pub const fn may_become(self, next: Self) -> bool {
        use RunStatus as S;
        match self {
            S::Queued => matches!(next, S::Running | S::Canceled | S::Failed | S::Expired),
            S::Running => !matches!(next, S::Queued | S::Running),
            S::WaitingInput | S::WaitingApproval | S::Paused => {
                matches!(next, S::Running | S::Paused | S::Canceling | S::Canceled | S::Failed | S::Expired)
            }
            S::Canceling => matches!(next, S::Canceled | S::Failed | S::Succeeded),
            S::Succeeded | S::Failed | S::Canceled | S::Expired => false,
        }
    }
}

words! {
    /// What a step is.
    pub enum StepType {
        /// A model call.
        ModelCall = "model_call",
        /// An embedding.
        Embedding = "embedding",
        /// An image.
        Image = "image",
        /// A rerank.
        Rerank = "rerank",
        /// A retrieval.
        Retrieval = "retrieval",
        /// A tool call.
        ToolCall = "tool_call",
        /// A workflow node.
        WorkflowNode = "workflow_node",
        /// A compensation.
        Compensation = "compensation",
        /// One agent turn.
        AgentTurn = "agent_turn",
        /// A memory access.
        Memory = "memory",
        /// An approval.
        Approval = "approval",
        /// A safety decision.
        Safety = "safety",
        /// A message.
        Message = "message",
        /// A wait.
        Wait = "wait",
        /// Input or output.
        Io = "io",
        /// A verification.
        Verify = "verify",
    }
}
words! {
    /// Where a step stands; it closes once.
    pub enum StepStatus {
        /// Works.
        Open = "open",
        /// Waits for an approval.
        WaitingApproval = "waiting_approval",
        /// Closed well.
        Succeeded = "succeeded",
        /// Closed badly.
        Failed = "failed",
        /// Closed by someone.
        Canceled = "canceled",
        /// Never ran.
        Skipped = "skipped",
        /// Sent, outcome unknown.
        InDoubt = "in_doubt",
    }
}

impl StepStatus {
    /// Whether the step is closed.
    pub const fn is_closed(self) -> bool {
        !matches!(self, Self::Open | Self::WaitingApproval)
    }
}

words! {
    /// What a step does to the world.
    pub enum Effect {
        /// Nothing.
        None = "none",
        /// Reads.
        Read = "read",
        /// Changes something.
        Effectful = "effectful",
    }
}
words! {
    /// Who asked.
    pub enum CallerKind {
        /// A person.
        User = "user",
        /// A service principal.
        ServicePrincipal = "service_principal",
        /// A schedule.
        Schedule = "schedule",
        /// A trigger.
        Trigger = "trigger",
        /// soit itself.
        System = "system",
    }
}
words! {
    /// How much content is kept.
    pub enum Capture {
        /// Everything.
        Full = "full",
        /// After redaction.
        Redacted = "redacted",
        /// Ids, enums and numbers only.
        MetadataOnly = "metadata_only",
    }
}

/// Who asked, by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Caller {
    /// What kind of caller.
    pub kind: CallerKind,
    /// Its id.
    pub id: String,
}

/// Content as the ledger keeps it: a preview, how long it was, and where the whole lies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Content {
    /// At most 2048 characters; null where content is not captured.
    pub preview: Option<String>,
    /// Characters of the whole.
    pub chars: u64,
    /// The whole, where the preview is not all of it and it was kept.
    #[serde(default)]
    pub artifact_id: Option<ArtifactId>,
}

/// Why a run or step failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Failure {
    /// A problem code, or the word for what ended it, such as `process_lost`.
    pub code: String,
    /// At most 2000 characters, no internals.
    pub message: String,
    /// The step that failed, on runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<StepId>,
}

/// Quantities by usage class; the classes are disjoint, so nothing is charged twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct Usage(pub BTreeMap<UsageClass, u64>);

impl Usage {
    /// The quantity of a class, zero where absent.
    pub fn get(&self, class: UsageClass) -> u64 {
        self.0.get(&class).copied().unwrap_or_default()
    }

    /// Sets a class; zero removes it.
    pub fn set(&mut self, class: UsageClass, quantity: u64) {
        if quantity == 0 {
            self.0.remove(&class);
        } else {
            self.0.insert(class, quantity);
        }
    }

    /// Adds another usage class by class, saturating.
    pub fn add(&mut self, other: &Self) {
        for (class, quantity) in &other.0 {
            let sum = self.get(*class).saturating_add(*quantity);
            self.set(*class, sum);
        }
    }

    /// Every token of every token class together.
    pub fn tokens(&self) -> u64 {
        use UsageClass as C;
        [
            C::Input,
            C::Output,
            C::CacheRead,
            C::CacheWrite,
            C::CacheWrite1h,
            C::Reasoning,
            C::ImageIn,
            C::AudioIn,
            C::AudioOut,
        ]
        .into_iter()
        .fold(0, |sum, class| sum.saturating_add(self.get(class)))
    }
}

words! {
    /// What is counted and priced on its own.
    pub enum UsageClass {
        /// Prompt tokens that were not cached.
        Input = "input",
        /// Answer tokens without reasoning.
        Output = "output",
        /// Prompt tokens read from the provider's cache.
        CacheRead = "cache_read",
        /// Prompt tokens written to the provider's cache for minutes.
        CacheWrite = "cache_write",
        /// Prompt tokens written to the provider's cache for an hour.
        CacheWrite1h = "cache_write_1h",
        /// Reasoning tokens.
        Reasoning = "reasoning",
        /// Image tokens in.
        ImageIn = "image_in",
        /// Audio tokens in.
        AudioIn = "audio_in",
        /// Audio tokens out.
        AudioOut = "audio_out",
        /// Images made.
        Images = "images",
        /// Requests.
        Requests = "requests",
        /// Searches.
        Searches = "searches",
        /// Bytes sent.
        BytesOut = "bytes_out",
        /// Bytes received.
        BytesIn = "bytes_in",
        /// Processor milliseconds.
        CpuMs = "cpu_ms",
    }
}

/// What a run added up to. Equal to the sum of its steps and cost rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Totals {
    /// Model calls, attempts included.
    pub model_calls: u32,
    /// Tool calls.
    pub tool_calls: u32,
    /// Quantities by class.
    pub usage: Usage,
    /// One entry a currency.
    pub cost: Vec<Money>,
    /// Metered attempts without a price.
    pub unpriced: u32,
    /// Whether part of the cost is estimated.
    #[serde(default)]
    pub estimated: bool,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Run {
    /// The run's id.
    pub id: RunId,
    /// Its workspace.
    pub workspace_id: WorkspaceId,
    /// What kind of execution.
    pub mode: Mode,
    /// Who made soit do it.
    pub source: Source,
    /// Through which door.
    pub entry: Entry,
    /// Where it stands.
    pub status: RunStatus,
    /// Who asked.
    pub caller: Caller,
    /// The person answered for: who asked, or the owner of the service principal that did.
    #[serde(default)]
    pub user_id: Option<UserId>,
    /// The key used, if one was.
    pub api_key_id: Option<ApiKeyId>,
    /// The first run of the family; its own id where it is the first.
    pub root_run_id: RunId,
    /// The run that started it.
    pub parent_run_id: Option<RunId>,
    /// The run it repeats.
    pub source_run_id: Option<RunId>,
    /// 1 for the first attempt under an idempotency key.
    pub attempt_no: u32,
    /// How much content is kept.
    pub capture: Capture,
    /// W3C trace id, 32 hex digits.
    pub trace_id: String,
    /// The HTTP request that opened it.
    pub request_id: Option<RequestId>,
    /// The policy bundle it was decided under.
    pub policy_revision: String,
    /// Whether it is kept out of production statistics.
    pub sandbox: bool,
    /// The model asked for, as the caller named it.
    pub model_ref: Option<String>,
    /// What went in.
    pub input: Content,
    /// What came out.
    pub output: Content,
    /// Labels of the caller.
    pub labels: BTreeMap<String, String>,
    /// When it started.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Milliseconds from start to end.
    pub duration_ms: Option<u64>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// What it added up to.
    pub totals: Totals,
    /// Whether the caller got the whole answer; null while unknown.
    pub delivered: Option<bool>,
    /// Marks such as `usage_inconsistent`.
    pub flags: Vec<String>,
    /// How many equal refusals this run stands for; 0 on ordinary runs.
    #[serde(default)]
    pub refusals: u32,
}

/// One observable unit of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Step {
    /// The step's id.
    pub id: StepId,
    /// Its run.
    pub run_id: RunId,
    /// 1, 2, 3 … gapless in the run.
    pub seq: u32,
    /// The step it belongs under.
    pub parent_step_id: Option<StepId>,
    /// Shared by the attempts of one call.
    pub call_id: Option<CallId>,
    /// What it is.
    #[serde(rename = "type")]
    pub step_type: StepType,
    /// Where it stands.
    pub status: StepStatus,
    /// 1 for the first attempt of the call.
    pub attempt_no: u32,
    /// What it does to the world.
    pub effect: Effect,
    /// The decision it was allowed by: gates and rules, no content.
    #[schema(value_type = Object)]
    pub decision: serde_json::Value,
    /// SHA-256 of the canonical request, hex.
    pub request_digest: Option<String>,
    /// What went in.
    pub input: Content,
    /// What came out.
    pub output: Content,
    /// Model, provider, usage and timings; ids, enums and numbers only.
    #[schema(value_type = Object)]
    pub metrics: serde_json::Value,
    /// Why it failed.
    pub error: Option<Failure>,
    /// When it started.
    pub started_at: DateTime<Utc>,
    /// When the effect was let out.
    pub outbound_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Milliseconds from start to end.
    pub latency_ms: Option<u64>,
    /// Milliseconds to the first content.
    pub ttft_ms: Option<u64>,
}

/// One stored event of a run; offsets are gapless from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunEvent {
    /// The run.
    pub run_id: RunId,
    /// 1, 2, 3 …
    pub offset: u64,
    /// Past-tense name: `run.started`, `step.opened`, `step.closed`, `run.finished` …
    #[serde(rename = "type")]
    pub event_type: String,
    /// The step concerned.
    pub step_id: Option<StepId>,
    /// What happened; ids, enums and numbers, plus content where captured.
    #[schema(value_type = Object)]
    pub payload: serde_json::Value,
    /// When.
    pub occurred_at: DateTime<Utc>,
}
