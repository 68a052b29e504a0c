//! The words for states, kinds and choices that the ledger speaks in.

mod en;
mod zh_cn;

use types::audit::Outcome;
use types::budget::{Period, ScopeKind};
use types::cost::{PricingStatus, UsageBasis};
use types::identity::{Role, Scope, TenantRole, UnpricedPolicy, UserStatus};
use types::key::KeyStatus;
use types::member::InvitationStatus;
use types::modelhub::{Capability, ProviderKind};
use types::run::{CallerKind, Capture, Effect, Entry, Mode, RunStatus, StepStatus, StepType, UsageClass};
use types::search::HitKind;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// The words for states, kinds and choices.
pub(crate) struct Words {
    pub(crate) run_status: fn(RunStatus) -> &'static str,
    pub(crate) step_status: fn(StepStatus) -> &'static str,
    pub(crate) step_type: fn(StepType) -> &'static str,
    pub(crate) mode: fn(Mode) -> &'static str,
    pub(crate) entry: fn(Entry) -> &'static str,
    pub(crate) effect: fn(Effect) -> &'static str,
    pub(crate) capture: fn(Capture) -> &'static str,
    pub(crate) usage: fn(UsageClass) -> &'static str,
    pub(crate) basis: fn(UsageBasis) -> &'static str,
    pub(crate) pricing: fn(PricingStatus) -> &'static str,
    pub(crate) key_status: fn(KeyStatus) -> &'static str,
    pub(crate) scope: fn(Scope) -> &'static str,
    pub(crate) role: fn(Role) -> &'static str,
    pub(crate) tenant_role: fn(TenantRole) -> &'static str,
    pub(crate) user_status: fn(UserStatus) -> &'static str,
    pub(crate) invitation: fn(InvitationStatus) -> &'static str,
    pub(crate) period: fn(Period) -> &'static str,
    pub(crate) budget_scope: fn(ScopeKind) -> &'static str,
    pub(crate) provider: fn(ProviderKind) -> &'static str,
    pub(crate) capability: fn(Capability) -> &'static str,
    pub(crate) unpriced: fn(UnpricedPolicy) -> &'static str,
    pub(crate) hit: fn(HitKind) -> &'static str,
    pub(crate) outcome: fn(Outcome) -> &'static str,
    pub(crate) caller: fn(CallerKind) -> &'static str,
    pub(crate) allowed: &'static str,
    pub(crate) asked: &'static str,
    pub(crate) denied: &'static str,
}
