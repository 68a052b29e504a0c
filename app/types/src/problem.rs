//! Problems (RFC 9457): every refusal and failure of soit has one code, and a code has one status everywhere.

use serde::{Deserialize, Serialize};

use crate::egress::EgressSubject;
use crate::id::{EgressRuleId, RunId};
use crate::identity::{Role, UnpricedPolicy};
use crate::money::{Amount, Currency};
use crate::word::words;

words! {
    /// Why a request was refused or failed. Each has a page under `docs/errors/`. Codes are only ever added.
    pub enum Code {
        /// A field has a wrong value.
        Invalid = "invalid",
        /// The body is not JSON, or not the JSON wanted.
        InvalidJson = "invalid_json",
        /// A JSON object names one key twice.
        DuplicateKey = "duplicate_key",
        /// A cursor that was altered, or belongs to another list.
        InvalidCursor = "invalid_cursor",
        /// A field only this deployment's owners may set.
        FieldNotAllowed = "field_not_allowed",
        /// The prompt and the wanted answer do not fit the model.
        ContextLengthExceeded = "context_length_exceeded",
        /// `Idempotency-Key` has a wrong form.
        IdempotencyKeyInvalid = "idempotency_key_invalid",
        /// The `Idempotency-Key` was used for another request.
        IdempotencyConflict = "idempotency_conflict",
        /// The first request with the `Idempotency-Key` is not done yet.
        IdempotencyInFlight = "idempotency_in_flight",
        /// What is asked for was not kept.
        ContentNotKept = "content_not_kept",
        /// What is asked for cannot be done to a thing of this kind.
        NotSupported = "not_supported",
        /// `Last-Event-ID` has a wrong form.
        LastEventIdInvalid = "last_event_id_invalid",
        /// The provider says the request is wrong.
        UpstreamInvalidRequest = "upstream_invalid_request",
        /// An amount does not fit.
        AmountOutOfRange = "amount_out_of_range",
        /// A price must not start in the past.
        PriceBackdated = "price_backdated",
        /// A label of the call contradicts one that is fixed on the key.
        LabelConflict = "label_conflict",
        /// A password is too easy to guess.
        WeakPassword = "weak_password",
        /// Two different credentials in one request.
        CredentialsAmbiguous = "credentials_ambiguous",
        /// Path, header and credential name different workspaces.
        WorkspaceConflict = "workspace_conflict",
        /// The request names no workspace.
        WorkspaceRequired = "workspace_required",
        /// The target of an outgoing call is no acceptable URL.
        EgressInvalidTarget = "egress_invalid_target",
        /// No credential.
        Unauthenticated = "unauthenticated",
        /// A wrong credential, e-mail address or password.
        InvalidCredentials = "invalid_credentials",
        /// A wrong code of a second factor.
        InvalidCode = "invalid_code",
        /// The question for a second factor was answered before, or its time is over.
        ChallengeExpired = "challenge_expired",
        /// The credential's time is over.
        CredentialsExpired = "credentials_expired",
        /// A budget refuses the call.
        BudgetExhausted = "budget_exhausted",
        /// The role does not allow the action.
        RoleRequired = "role_required",
        /// The key's scope does not allow the action.
        ScopeRequired = "scope_required",
        /// The action needs a fresh proof of identity.
        StepUpRequired = "step_up_required",
        /// The workspace lets in only who has a second factor.
        MfaRequired = "mfa_required",
        /// The account, or what it acts for, is not active.
        SubjectDisabled = "subject_disabled",
        /// The key is not used from an allowed address.
        AddressNotAllowed = "address_not_allowed",
        /// The key may not call the model.
        ModelNotAllowed = "model_not_allowed",
        /// The key may not call the tool.
        ToolNotAllowed = "tool_not_allowed",
        /// The model has no usable price and the workspace's rule refuses that.
        PricingNotConfigured = "pricing_not_configured",
        /// Content safety blocked the text.
        ContentBlocked = "content_blocked",
        /// No egress rule lets the call out.
        EgressDenied = "egress_denied",
        /// A form was not sent from the console itself.
        CsrfFailed = "csrf_failed",
        /// A browser opened a stream from another site.
        OriginNotAllowed = "origin_not_allowed",
        /// Nothing there, or nothing the caller may see.
        NotFound = "not_found",
        /// No such model.
        ModelNotFound = "model_not_found",
        /// Members of the tenant sign in with an identity provider.
        SsoRequired = "sso_required",
        /// The sign-in with an identity provider cannot be believed, or waited too long.
        SsoFailed = "sso_failed",
        /// The identity provider knows the person, but they have no way in here.
        SsoRefused = "sso_refused",
        /// The identity provider does not answer.
        SsoUnavailable = "sso_unavailable",
        /// The path has no such method.
        MethodNotAllowed = "method_not_allowed",
        /// The body took too long.
        RequestTimeout = "request_timeout",
        /// It exists already.
        AlreadyExists = "already_exists",
        /// The present state does not allow the change.
        InvalidTransition = "invalid_transition",
        /// The run is not over yet.
        RunNotFinal = "run_not_final",
        /// No worker of this version does tasks of this type.
        TaskNotRerunnable = "task_not_rerunnable",
        /// The repetition of a run is not as it is in the record.
        ReplayDiverged = "replay_diverged",
        /// A chain is not as it was written.
        ChainBroken = "chain_broken",
        /// The offset lies beyond the run's events.
        OffsetAhead = "offset_ahead",
        /// The model is switched off.
        ModelDisabled = "model_disabled",
        /// The provider account is switched off.
        ProviderDisabled = "provider_disabled",
        /// The provider account has no credential.
        ProviderCredentialMissing = "provider_credential_missing",
        /// The secret cannot be opened with the present keys.
        SecretUnreadable = "secret_unreadable",
        /// Something still uses it.
        InUse = "in_use",
        /// The last owner cannot go.
        LastOwner = "last_owner",
        /// The workspace is archived: it is read, and nothing in it changes.
        WorkspaceArchived = "workspace_archived",
        /// A workspace asks for the second factor.
        MfaEnforced = "mfa_enforced",
        /// Somebody joined with the invitation already.
        InvitationUsed = "invitation_used",
        /// The invitation's time is over.
        InvitationExpired = "invitation_expired",
        /// The link was used, a newer one took its place, or its time is over.
        LinkExpired = "link_expired",
        /// Another request is rotating the same token.
        RefreshConflict = "refresh_conflict",
        /// Too many budgets bind one call.
        TooManyBudgets = "too_many_budgets",
        /// Someone canceled the run.
        RunCanceled = "run_canceled",
        /// The document changed since it was read.
        PreconditionFailed = "precondition_failed",
        /// The policy changed since it was read.
        PolicyConflict = "policy_conflict",
        /// The body is too large.
        TooLarge = "too_large",
        /// The address of the request is too long.
        UriTooLong = "uri_too_long",
        /// The body's media type is not accepted.
        UnsupportedMediaType = "unsupported_media_type",
        /// The model cannot do what the request asks.
        ModelCapabilityUnavailable = "model_capability_unavailable",
        /// A parameter the model does not take.
        UnsupportedParameter = "unsupported_parameter",
        /// The model has no price for the service tier asked for.
        ServiceTierNotPriced = "service_tier_not_priced",
        /// The name of an outgoing call's host does not resolve.
        EgressDnsFailed = "egress_dns_failed",
        /// `If-Match` is required.
        PreconditionRequired = "precondition_required",
        /// The headers of the request are too large.
        HeadersTooLarge = "headers_too_large",
        /// Too many calls a minute.
        RateLimited = "rate_limited",
        /// The daily quota is spent, or there are as many things as may be.
        QuotaExceeded = "quota_exceeded",
        /// Too many failed sign-ins.
        LoginThrottled = "login_throttled",
        /// Too many unknown credentials from one address.
        AuthThrottled = "auth_throttled",
        /// The provider asks to slow down.
        UpstreamRateLimited = "upstream_rate_limited",
        /// The bytes of an artifact are not those that were kept.
        ArtifactCorrupt = "artifact_corrupt",
        /// Something unforeseen inside soit.
        Internal = "internal",
        /// The provider failed.
        UpstreamError = "upstream_error",
        /// The provider did not stop at the cap of the answer.
        UpstreamOverCap = "upstream_over_cap",
        /// Too much at once; try again.
        Busy = "busy",
        /// The ledger cannot be written now.
        LedgerUnavailable = "ledger_unavailable",
        /// The ledger's queue is full.
        LedgerOverloaded = "ledger_overloaded",
        /// The disk is full.
        StorageFull = "storage_full",
        /// The artifact store does not answer.
        StorageUnavailable = "storage_unavailable",
        /// The limits port is down.
        LimitsUnavailable = "limits_unavailable",
        /// The provider account cannot be called now.
        ProviderUnavailable = "provider_unavailable",
        /// The provider account has no free slot.
        ProviderSaturated = "provider_saturated",
        /// Content safety cannot judge now.
        ContentSafetyUnavailable = "content_safety_unavailable",
        /// This process was declared dead and starts nothing.
        Fenced = "fenced",
        /// soit is shutting down.
        ShuttingDown = "shutting_down",
        /// The part is not configured in this deployment.
        NotConfigured = "not_configured",
        /// The provider did not answer in time.
        Timeout = "timeout",
    }
}

impl Code {
    /// The HTTP status, the same at every door.
    pub const fn status(self) -> u16 {
        match self {
            Self::Invalid
            | Self::InvalidJson
            | Self::DuplicateKey
            | Self::InvalidCursor
            | Self::FieldNotAllowed
            | Self::ContextLengthExceeded
            | Self::IdempotencyKeyInvalid
            | Self::LastEventIdInvalid
            | Self::UpstreamInvalidRequest
            | Self::AmountOutOfRange
            | Self::PriceBackdated
            | Self::LabelConflict
            | Self::WeakPassword
            | Self::CredentialsAmbiguous
            | Self::WorkspaceConflict
            | Self::WorkspaceRequired
            | Self::EgressInvalidTarget => 400,
            Self::Unauthenticated
            | Self::InvalidCredentials
            | Self::InvalidCode
            | Self::ChallengeExpired
            | Self::SsoFailed
            | Self::CredentialsExpired => 401,
            Self::BudgetExhausted => 402,
            Self::RoleRequired
            | Self::ScopeRequired
            | Self::StepUpRequired
            | Self::MfaRequired
            | Self::SsoRequired
            | Self::SsoRefused
            | Self::SubjectDisabled
            | Self::AddressNotAllowed
            | Self::ModelNotAllowed
            | Self::ToolNotAllowed
            | Self::PricingNotConfigured
            | Self::ContentBlocked
            | Self::EgressDenied
            | Self::CsrfFailed
            | Self::OriginNotAllowed => 403,
            Self::NotFound | Self::ModelNotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::RequestTimeout => 408,
            Self::AlreadyExists
            | Self::IdempotencyConflict
            | Self::IdempotencyInFlight
            | Self::ContentNotKept
            | Self::NotSupported
            | Self::InvalidTransition
            | Self::RunNotFinal
            | Self::TaskNotRerunnable
            | Self::ReplayDiverged
            | Self::ChainBroken
            | Self::OffsetAhead
            | Self::ModelDisabled
            | Self::ProviderDisabled
            | Self::ProviderCredentialMissing
            | Self::SecretUnreadable
            | Self::InUse
            | Self::LastOwner
            | Self::WorkspaceArchived
            | Self::MfaEnforced
            | Self::InvitationUsed
            | Self::RefreshConflict
            | Self::TooManyBudgets
            | Self::RunCanceled => 409,
            Self::InvitationExpired | Self::LinkExpired => 410,
            Self::PreconditionFailed | Self::PolicyConflict => 412,
            Self::TooLarge => 413,
            Self::UriTooLong => 414,
            Self::UnsupportedMediaType => 415,
            Self::ModelCapabilityUnavailable
            | Self::UnsupportedParameter
            | Self::ServiceTierNotPriced
            | Self::EgressDnsFailed => 422,
            Self::PreconditionRequired => 428,
            Self::HeadersTooLarge => 431,
            Self::RateLimited
            | Self::QuotaExceeded
            | Self::LoginThrottled
            | Self::AuthThrottled
            | Self::UpstreamRateLimited => 429,
            Self::Internal | Self::ArtifactCorrupt => 500,
            Self::UpstreamError | Self::UpstreamOverCap => 502,
            Self::Busy
            | Self::LedgerUnavailable
            | Self::LedgerOverloaded
            | Self::StorageFull
            | Self::StorageUnavailable
            | Self::SsoUnavailable
            | Self::LimitsUnavailable
            | Self::ProviderUnavailable
            | Self::ProviderSaturated
            | Self::ContentSafetyUnavailable
            | Self::Fenced
            | Self::ShuttingDown
            | Self::NotConfigured => 503,
            Self::Timeout => 504,
        }
    }

    /// A short human name: the code with spaces.
    pub fn title(self) -> String {
        let words = self.as_str().replace('_', " ").replace("mfa", "MFA").replace("sso", "SSO");
        let mut letters = words.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }

    /// Whether the same request may succeed later without a change.
    pub const fn is_retryable(self) -> bool {
        matches!(self.status(), 408 | 429 | 500 | 502 | 503 | 504)
            && !matches!(self, Self::NotConfigured | Self::ArtifactCorrupt)
            || matches!(self, Self::IdempotencyInFlight)
    }
}

/// One wrong field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FieldError {
    /// Path of the field: `rules[2].host`.
    pub field: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// The budget that refused a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BudgetRefusal {
    /// The budget's id.
    pub id: crate::id::BudgetId,
    /// Its name.
    pub name: String,
    /// What it binds.
    pub scope_kind: crate::budget::ScopeKind,
    /// Which one, null for the workspace.
    pub scope_id: Option<String>,
    /// Its period.
    pub period: crate::budget::Period,
    /// What it allows a period.
    pub amount: Amount,
    /// What is spent of it.
    pub spent: Amount,
    /// What running calls hold of it.
    pub held: Amount,
    /// What this call could cost at worst.
    pub needed: Amount,
    /// The currency of all amounts here.
    pub currency: Currency,
    /// When the period ends, null for `total`.
    pub resets_at: Option<chrono::DateTime<chrono::Utc>>,
    /// `spent`, `held` (would fit if running calls settle low) or `too_large` (never fits).
    pub reason: String,
}

/// The rate limit or quota that refused a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LimitRefusal {
    /// `key`, `member` or `workspace`.
    pub scope: String,
    /// `requests_per_minute`, `requests_per_day` or `tokens_per_day`.
    pub name: String,
    /// What is allowed.
    pub limit: i64,
    /// What is used.
    pub used: i64,
    /// When it is free again.
    pub resets_at: chrono::DateTime<chrono::Utc>,
}

/// What a refusal of the egress rules was about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EgressRefusal {
    /// Who the call was made for.
    pub subject: EgressSubject,
    /// Where it was to go: scheme, host and port.
    pub origin: String,
    /// The rule that applied, where one did.
    pub rule_id: Option<EgressRuleId>,
    /// The tenant's rules it was decided under.
    pub tenant_bundle_id: String,
    /// The workspace's rules it was decided under.
    pub workspace_bundle_id: String,
}

/// What a refusal of an unpriced call was about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UnpricedRefusal {
    /// The model without a usable price.
    pub model_ref: String,
    /// What the workspace does with calls without a price.
    pub policy: UnpricedPolicy,
}

/// The permission that was missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PermissionRefusal {
    /// Its name: `budget.update`.
    pub action: String,
    /// The roles of the workspace that have it for everything there; empty where no role alone has it.
    pub roles: Vec<Role>,
}

/// A refusal or failure as the outside sees it. Never holds internals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    /// Where the code is explained.
    #[serde(rename = "type")]
    pub type_url: String,
    /// Short human name of the code.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened, here, and what to do.
    pub detail: String,
    /// The request's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The code.
    pub code: Code,
    /// The run this belongs to, where one exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Wrong fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Whole seconds to wait, also sent as `Retry-After`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The budget that refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Box<BudgetRefusal>>,
    /// The limit that refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Box<LimitRefusal>>,
    /// The permission that was missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Box<PermissionRefusal>>,
    /// Machine word for a narrower reason, where a code has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The call out that was refused.
    #[serde(flatten)]
    pub egress: Option<Box<EgressRefusal>>,
    /// The call that has no usable price.
    #[serde(flatten)]
    pub unpriced: Option<Box<UnpricedRefusal>>,
    /// The present revision, on a stale or missing `If-Match`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

impl Problem {
    /// A problem of a code with its explanation.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            type_url: format!("/docs/errors/{code}"),
            title: code.title(),
            status: code.status(),
            detail: detail.into(),
            instance: None,
            code,
            run_id: None,
            errors: Vec::new(),
            retry_after: None,
            budget: None,
            limit: None,
            permission: None,
            reason: None,
            egress: None,
            unpriced: None,
            revision: None,
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl std::error::Error for Problem {}
