//! English.

use types::audit::Outcome;
use types::budget::{Period, ScopeKind};
use types::cost::{PricingStatus, UsageBasis};
use types::identity::{Role, Scope, TenantRole, UnpricedPolicy, UserStatus};
use types::key::KeyStatus;
use types::member::InvitationStatus;
use types::modelhub::{Capability, ProviderKind};
use types::run::{CallerKind, Capture, Effect, Entry, Mode, RunStatus, StepStatus, StepType, UsageClass};
use types::search::HitKind;

use super::Words;

pub(crate) const EN: Words = Words {
    run_status: |status| match status {
        RunStatus::Queued => "Queued",
        RunStatus::Running => "Running",
        RunStatus::WaitingInput => "Waits for input",
        RunStatus::WaitingApproval => "Waits for approval",
        RunStatus::Paused => "Paused",
        RunStatus::Canceling => "Canceling",
        RunStatus::Succeeded => "Succeeded",
        RunStatus::Failed => "Failed",
        RunStatus::Canceled => "Canceled",
        RunStatus::Expired => "Expired",
    },
    step_status: |status| match status {
        StepStatus::Open => "Running",
        StepStatus::WaitingApproval => "Waits for approval",
        StepStatus::Succeeded => "Succeeded",
        StepStatus::Failed => "Failed",
        StepStatus::Canceled => "Canceled",
        StepStatus::Skipped => "Skipped",
        StepStatus::InDoubt => "In doubt",
    },
    step_type: |kind| match kind {
        StepType::ModelCall => "Model call",
        StepType::Embedding => "Embedding",
        StepType::Image => "Image",
        StepType::Rerank => "Rerank",
        StepType::Retrieval => "Retrieval",
        StepType::ToolCall => "Tool call",
        StepType::WorkflowNode => "Workflow node",
        StepType::Compensation => "Compensation",
        StepType::AgentTurn => "Agent turn",
        StepType::Memory => "Memory",
        StepType::Approval => "Approval",
        StepType::Safety => "Safety",
        StepType::Message => "Message",
        StepType::Wait => "Wait",
        StepType::Io => "Input or output",
        StepType::Verify => "Verification",
    },
    mode: |mode| match mode {
        Mode::Gateway => "Gateway",
        Mode::Chat => "Playground",
        Mode::Response => "Response",
        Mode::Agent => "Agent",
        Mode::Workflow => "Workflow",
        Mode::Tool => "Tool",
        Mode::KnowledgeQuery => "Knowledge query",
        Mode::KnowledgeIngest => "Ingestion",
        Mode::KnowledgeSync => "Synchronisation",
        Mode::Evaluation => "Evaluation",
    },
    entry: |entry| match entry {
        Entry::Api => "API",
        Entry::Openai => "OpenAI",
        Entry::Anthropic => "Anthropic",
        Entry::Mcp => "MCP",
        Entry::Console => "Console",
        Entry::Cli => "Command line",
        Entry::Schedule => "Schedule",
        Entry::Trigger => "Trigger",
        Entry::Engine => "Engine",
        Entry::Internal => "soit",
    },
    effect: |effect| match effect {
        Effect::None => "None",
        Effect::Read => "Reads",
        Effect::Effectful => "Changes something",
    },
    capture: |capture| match capture {
        Capture::Full => "Everything",
        Capture::Redacted => "After redaction",
        Capture::MetadataOnly => "Ids and numbers only",
    },
    usage: |class| match class {
        UsageClass::Input => "Input",
        UsageClass::Output => "Output",
        UsageClass::CacheRead => "Cache read",
        UsageClass::CacheWrite => "Cache write",
        UsageClass::CacheWrite1h => "Cache write, 1 h",
        UsageClass::Reasoning => "Reasoning",
        UsageClass::ImageIn => "Image input",
        UsageClass::AudioIn => "Audio input",
        UsageClass::AudioOut => "Audio output",
        UsageClass::Images => "Images",
        UsageClass::Requests => "Requests",
        UsageClass::Searches => "Searches",
        UsageClass::BytesOut => "Bytes sent",
        UsageClass::BytesIn => "Bytes received",
        UsageClass::CpuMs => "Processor time",
    },
    basis: |basis| match basis {
        UsageBasis::Provider => "reported by the provider",
        UsageBasis::Tokenizer => "counted with the tokenizer",
        UsageBasis::Calibrated => "counted and scaled",
        UsageBasis::Hold => "the worst case held",
        UsageBasis::RequestedImages => "the images asked for",
    },
    pricing: |status| match status {
        PricingStatus::Priced => "Priced",
        PricingStatus::Estimated => "Estimated",
        PricingStatus::Free => "Free",
        PricingStatus::Unpriced => "Unpriced",
    },
    key_status: |status| match status {
        KeyStatus::Active => "Active",
        KeyStatus::Expired => "Expired",
        KeyStatus::Revoked => "Revoked",
    },
    scope: |scope| match scope {
        Scope::Read => "Read",
        Scope::Write => "Write",
        Scope::Admin => "Admin",
    },
    role: |role| match role {
        Role::Owner => "Owner",
        Role::Admin => "Admin",
        Role::Dev => "Developer",
        Role::Viewer => "Viewer",
    },
    tenant_role: |role| match role {
        TenantRole::Owner => "Owner",
        TenantRole::Admin => "Admin",
        TenantRole::Member => "Member",
    },
    user_status: |status| match status {
        UserStatus::Active => "Active",
        UserStatus::Disabled => "Disabled",
        UserStatus::Closing => "Closes soon",
        UserStatus::Closed => "Closed",
    },
    invitation: |status| match status {
        InvitationStatus::Pending => "Waits",
        InvitationStatus::Accepted => "Accepted",
        InvitationStatus::Expired => "Expired",
        InvitationStatus::Revoked => "Taken back",
    },
    period: |period| match period {
        Period::Day => "Day",
        Period::Week => "Week",
        Period::Month => "Month",
        Period::Total => "Total",
    },
    budget_scope: |kind| match kind {
        ScopeKind::Workspace => "Workspace",
        ScopeKind::ApiKey => "Key",
        ScopeKind::User => "Member",
    },
    provider: |kind| match kind {
        ProviderKind::OpenaiCompatible => "OpenAI compatible",
        ProviderKind::Test => "Built in",
    },
    capability: |capability| match capability {
        Capability::Chat => "Chat",
        Capability::Stream => "Streaming",
        Capability::Tools => "Tools",
        Capability::JsonSchema => "JSON schema",
        Capability::Vision => "Vision",
        Capability::Embedding => "Embeddings",
    },
    unpriced: |policy| match policy {
        UnpricedPolicy::Allow => "Let them pass and count them",
        UnpricedPolicy::RefuseWhenBudgeted => "Refuse them where a hard budget applies",
        UnpricedPolicy::Refuse => "Refuse them",
    },
    hit: |kind| match kind {
        HitKind::Run => "Run",
        HitKind::ApiKey => "API key",
        HitKind::Budget => "Budget",
        HitKind::Provider => "Provider",
        HitKind::Model => "Model",
    },
    outcome: |outcome| match outcome {
        Outcome::Allowed => "Allowed",
        Outcome::Denied => "Denied",
        Outcome::Done => "Done",
        Outcome::Failed => "Failed",
    },
    caller: |kind| match kind {
        CallerKind::User => "Person",
        CallerKind::ServicePrincipal => "Service principal",
        CallerKind::Schedule => "Schedule",
        CallerKind::Trigger => "Trigger",
        CallerKind::System => "soit",
    },
    allowed: "Allowed",
    asked: "Asked",
    denied: "Denied",
};
