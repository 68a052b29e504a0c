//! Time, ids and background work: what would make a run unrepeatable if the domain took it by itself.

use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use types::id::{
    ApiKeyId, ArtifactId, AuditId, BudgetId, CallId, CostId, EgressRuleId, EventId, FeedbackId, FormKey, HoldId,
    InvitationId, KeySecretId, LegalHoldId, MailId, MfaChallengeId, ModelId, PriceId, ProcessId, ProviderId, RequestId,
    RetentionReportId, RevisionId, RunId, SecretId, SessionId, SsoConnectionId, SsoLinkId, StepId, TaskId, TenantId,
    UserId, WorkspaceId,
};

/// The present time, and waiting.
pub trait Clock: Send + Sync {
    /// The time in UTC, microseconds.
    fn now(&self) -> DateTime<Utc>;
    /// A time that never goes back, for measuring durations inside one process.
    fn monotonic(&self) -> Duration;
    /// Resolves after the duration.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// New ids and random bytes.
pub trait Ids: Send + Sync {
    /// A fresh UUIDv7.
    fn uuid(&self) -> types::id::Uuid;
    /// Fills the buffer from the system's secure source.
    fn random(&self, buffer: &mut [u8]);
}

macro_rules! fresh {
    ($($(#[$meta:meta])* $name:ident -> $id:ty;)+) => {
        impl dyn Ids + '_ {
            $($(#[$meta])* pub fn $name(&self) -> $id { <$id>::from_uuid(self.uuid()) })+
        }
    };
}

fresh! {
    /// A fresh tenant id.
    tenant -> TenantId;
    /// A fresh workspace id.
    workspace -> WorkspaceId;
    /// A fresh user id.
    user -> UserId;
    /// A fresh session id.
    session -> SessionId;
    /// A fresh key id.
    api_key -> ApiKeyId;
    /// A fresh key-secret id.
    key_secret -> KeySecretId;
    /// A fresh id of a question for a second factor.
    mfa_challenge -> MfaChallengeId;
    /// A fresh invitation id.
    invitation -> InvitationId;
    /// A fresh mail id.
    mail -> MailId;
    /// A fresh process id.
    process -> ProcessId;
    /// A fresh run id.
    run -> RunId;
    /// A fresh step id.
    step -> StepId;
    /// A fresh call id.
    call -> CallId;
    /// A fresh task id.
    task -> TaskId;
    /// A fresh cost id.
    cost -> CostId;
    /// A fresh hold id.
    hold -> HoldId;
    /// A fresh audit id.
    audit -> AuditId;
    /// A fresh artifact id.
    artifact -> ArtifactId;
    /// A fresh event id.
    event -> EventId;
    /// A fresh feedback id.
    feedback -> FeedbackId;
    /// A fresh id of a legal hold.
    legal_hold -> LegalHoldId;
    /// A fresh id of what a purge did.
    retention_report -> RetentionReportId;
    /// A fresh budget id.
    budget -> BudgetId;
    /// A fresh provider id.
    provider -> ProviderId;
    /// A fresh model id.
    model -> ModelId;
    /// A fresh price id.
    price -> PriceId;
    /// A fresh id of a connection to an identity provider.
    sso_connection -> SsoConnectionId;
    /// A fresh id of a link to an account there.
    sso_link -> SsoLinkId;
    /// A fresh secret id.
    secret -> SecretId;
    /// A fresh egress rule id.
    egress_rule -> EgressRuleId;
    /// A fresh revision id.
    revision -> RevisionId;
    /// A fresh request id.
    request -> RequestId;
    /// A fresh form key.
    form_key -> FormKey;
}

/// Work that outlives its caller but not a graceful shutdown: accounting runs here, so no client can skip it.
pub trait Spawner: Send + Sync {
    /// Runs the future to its end; shutdown waits for it.
    fn spawn(&self, work: BoxFuture<'static, ()>);
}
