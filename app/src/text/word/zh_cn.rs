//! Simplified Chinese.

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

pub(crate) const ZH_CN: Words = Words {
    run_status: |status| match status {
        RunStatus::Queued => "排队中",
        RunStatus::Running => "运行中",
        RunStatus::WaitingInput => "等待输入",
        RunStatus::WaitingApproval => "等待审批",
        RunStatus::Paused => "已暂停",
        RunStatus::Canceling => "取消中",
        RunStatus::Succeeded => "成功",
        RunStatus::Failed => "失败",
        RunStatus::Canceled => "已取消",
        RunStatus::Expired => "已过期",
    },
    step_status: |status| match status {
        StepStatus::Open => "运行中",
        StepStatus::WaitingApproval => "等待审批",
        StepStatus::Succeeded => "成功",
        StepStatus::Failed => "失败",
        StepStatus::Canceled => "已取消",
        StepStatus::Skipped => "已跳过",
        StepStatus::InDoubt => "结果不明",
    },
    step_type: |kind| match kind {
        StepType::ModelCall => "模型调用",
        StepType::Embedding => "向量化",
        StepType::Image => "图像生成",
        StepType::Rerank => "重排",
        StepType::Retrieval => "检索",
        StepType::ToolCall => "工具调用",
        StepType::WorkflowNode => "工作流节点",
        StepType::Compensation => "补偿",
        StepType::AgentTurn => "智能体回合",
        StepType::Memory => "记忆",
        StepType::Approval => "审批",
        StepType::Safety => "安全检查",
        StepType::Message => "消息",
        StepType::Wait => "等待",
        StepType::Io => "输入输出",
        StepType::Verify => "验证",
    },
    mode: |mode| match mode {
        Mode::Gateway => "网关",
        Mode::Chat => "演练场",
        Mode::Response => "响应",
        Mode::Agent => "智能体",
        Mode::Workflow => "工作流",
        Mode::Tool => "工具",
        Mode::KnowledgeQuery => "知识查询",
        Mode::KnowledgeIngest => "知识导入",
        Mode::KnowledgeSync => "知识同步",
        Mode::Evaluation => "评测",
    },
    entry: |entry| match entry {
        Entry::Api => "API",
        Entry::Openai => "OpenAI",
        Entry::Anthropic => "Anthropic",
        Entry::Mcp => "MCP",
        Entry::Console => "控制台",
        Entry::Cli => "命令行",
        Entry::Schedule => "定时",
        Entry::Trigger => "触发器",
        Entry::Engine => "引擎",
        Entry::Internal => "soit",
    },
    effect: |effect| match effect {
        Effect::None => "无",
        Effect::Read => "只读",
        Effect::Effectful => "有改动",
    },
    capture: |capture| match capture {
        Capture::Full => "全部保留",
        Capture::Redacted => "脱敏后保留",
        Capture::MetadataOnly => "只保留标识和数字",
    },
    usage: |class| match class {
        UsageClass::Input => "输入",
        UsageClass::Output => "输出",
        UsageClass::CacheRead => "缓存读取",
        UsageClass::CacheWrite => "缓存写入",
        UsageClass::CacheWrite1h => "缓存写入（1 小时）",
        UsageClass::Reasoning => "推理",
        UsageClass::ImageIn => "图像输入",
        UsageClass::AudioIn => "音频输入",
        UsageClass::AudioOut => "音频输出",
        UsageClass::Images => "图像",
        UsageClass::Requests => "请求",
        UsageClass::Searches => "搜索",
        UsageClass::BytesOut => "发送字节",
        UsageClass::BytesIn => "接收字节",
        UsageClass::CpuMs => "处理器时间",
    },
    basis: |basis| match basis {
        UsageBasis::Provider => "由提供方报告",
        UsageBasis::Tokenizer => "用分词器计数",
        UsageBasis::Calibrated => "计数后校准",
        UsageBasis::Hold => "按预留的最坏情况",
        UsageBasis::RequestedImages => "按请求的图像数",
    },
    pricing: |status| match status {
        PricingStatus::Priced => "已定价",
        PricingStatus::Estimated => "估算",
        PricingStatus::Free => "免费",
        PricingStatus::Unpriced => "未定价",
    },
    key_status: |status| match status {
        KeyStatus::Active => "有效",
        KeyStatus::Expired => "已过期",
        KeyStatus::Revoked => "已吊销",
    },
    scope: |scope| match scope {
        Scope::Read => "读取",
        Scope::Write => "读写",
        Scope::Admin => "管理",
    },
    role: |role| match role {
        Role::Owner => "所有者",
        Role::Admin => "管理员",
        Role::Dev => "开发者",
        Role::Viewer => "观察者",
    },
    tenant_role: |role| match role {
        TenantRole::Owner => "所有者",
        TenantRole::Admin => "管理员",
        TenantRole::Member => "成员",
    },
    user_status: |status| match status {
        UserStatus::Active => "有效",
        UserStatus::Disabled => "已停用",
        UserStatus::Closing => "即将注销",
        UserStatus::Closed => "已注销",
    },
    invitation: |status| match status {
        InvitationStatus::Pending => "等待接受",
        InvitationStatus::Accepted => "已接受",
        InvitationStatus::Expired => "已过期",
        InvitationStatus::Revoked => "已撤回",
    },
    period: |period| match period {
        Period::Day => "每天",
        Period::Week => "每周",
        Period::Month => "每月",
        Period::Total => "总计",
    },
    budget_scope: |kind| match kind {
        ScopeKind::Workspace => "工作区",
        ScopeKind::ApiKey => "密钥",
        ScopeKind::User => "成员",
    },
    provider: |kind| match kind {
        ProviderKind::OpenaiCompatible => "OpenAI 兼容",
        ProviderKind::Test => "内置",
    },
    capability: |capability| match capability {
        Capability::Chat => "对话",
        Capability::Stream => "流式",
        Capability::Tools => "工具",
        Capability::JsonSchema => "JSON 模式",
        Capability::Vision => "视觉",
        Capability::Embedding => "向量",
    },
    unpriced: |policy| match policy {
        UnpricedPolicy::Allow => "放行并计数",
        UnpricedPolicy::RefuseWhenBudgeted => "受硬预算约束时拒绝",
        UnpricedPolicy::Refuse => "拒绝",
    },
    hit: |kind| match kind {
        HitKind::Run => "运行",
        HitKind::ApiKey => "API 密钥",
        HitKind::Budget => "预算",
        HitKind::Provider => "提供方",
        HitKind::Model => "模型",
    },
    outcome: |outcome| match outcome {
        Outcome::Allowed => "允许",
        Outcome::Denied => "拒绝",
        Outcome::Done => "完成",
        Outcome::Failed => "失败",
    },
    caller: |kind| match kind {
        CallerKind::User => "人员",
        CallerKind::ServicePrincipal => "服务主体",
        CallerKind::Schedule => "计划任务",
        CallerKind::Trigger => "触发器",
        CallerKind::System => "soit",
    },
    allowed: "已允许",
    asked: "已询问",
    denied: "已拒绝",
};
