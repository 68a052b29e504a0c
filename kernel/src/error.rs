//! What a use case answers when it does not succeed: a problem code, its explanation and typed details.

use chrono::{DateTime, Utc};
use types::id::RunId;
use types::identity::UnpricedPolicy;
use types::problem::{
    BudgetRefusal, Code, EgressRefusal, FieldError, LimitRefusal, PermissionRefusal, Problem, UnpricedRefusal,
};

use crate::ledger;

/// The result of a use case.
pub type Result<T> = std::result::Result<T, Error>;

/// A refusal or failure. Doors shape it into their own envelope; it never holds internals.
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Parts>);

/// Boxed, so that a result is no larger than what it carries when all goes well.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{code}: {detail}")]
struct Parts {
    code: Code,
    detail: String,
    errors: Vec<FieldError>,
    retry_after: Option<u64>,
    budget: Option<Box<BudgetRefusal>>,
    limit: Option<Box<LimitRefusal>>,
    permission: Option<Box<PermissionRefusal>>,
    reason: Option<&'static str>,
    egress: Option<Box<EgressRefusal>>,
    unpriced: Option<Box<UnpricedRefusal>>,
    revision: Option<String>,
    run_id: Option<RunId>,
    #[source]
    source: Option<std::sync::Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// A refusal of a code. The detail says what happened and what to do, lower case, no full stop.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            code,
            detail: detail.into(),
            errors: Vec::new(),
            retry_after: None,
            budget: None,
            limit: None,
            permission: None,
            reason: None,
            egress: None,
            unpriced: None,
            revision: None,
            run_id: None,
            source: None,
        }))
    }

    /// One field has a wrong value.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Code::Invalid, "the request has a wrong value").with_field(field, message)
    }

    /// Nothing there, or nothing the caller may see: the same answer for both.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "there is no such thing here, or you may not see it")
    }

    /// Something unforeseen; the cause is logged at the boundary and never answered.
    pub fn internal(source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(Code::Internal, "something went wrong inside soit").with_source(source)
    }

    /// Adds a wrong field.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        self.0.errors.push(FieldError { field: field.into(), message: message.into() });
        self
    }

    /// Says after how many whole seconds (at least 1) to try again.
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds.max(1));
        self
    }

    /// Says when to try again, from the present time.
    #[must_use]
    pub fn with_retry_at(self, at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let millis = u64::try_from((at - now).num_milliseconds()).unwrap_or_default();
        self.with_retry_after(millis.div_ceil(1000))
    }

    /// Names the budget that refused.
    #[must_use]
    pub fn with_budget(mut self, budget: BudgetRefusal) -> Self {
        self.0.budget = Some(Box::new(budget));
        self
    }

    /// Names the limit that refused.
    #[must_use]
    pub fn with_limit(mut self, limit: LimitRefusal) -> Self {
        self.0.limit = Some(Box::new(limit));
        self
    }

    /// Names the permission that is missing, and who has it.
    #[must_use]
    pub fn with_permission(mut self, refusal: PermissionRefusal) -> Self {
        self.0.permission = Some(Box::new(refusal));
        self
    }

    /// A machine word for the narrower reason.
    #[must_use]
    pub fn with_reason(mut self, reason: &'static str) -> Self {
        self.0.reason = Some(reason);
        self
    }

    /// Names the call out that was refused.
    #[must_use]
    pub fn with_egress(mut self, refusal: EgressRefusal) -> Self {
        self.0.egress = Some(Box::new(refusal));
        self
    }

    /// Names the model without a usable price, and the workspace's rule for that.
    #[must_use]
    pub fn with_unpriced(mut self, model_ref: impl Into<String>, policy: UnpricedPolicy) -> Self {
        self.0.unpriced = Some(Box::new(UnpricedRefusal { model_ref: model_ref.into(), policy }));
        self
    }

    /// Tells the present revision after a stale or missing `If-Match`.
    #[must_use]
    pub fn with_revision(mut self, revision: impl Into<String>) -> Self {
        self.0.revision = Some(revision.into());
        self
    }

    /// Names the run this refusal belongs to.
    #[must_use]
    pub fn with_run(mut self, run_id: RunId) -> Self {
        self.0.run_id = Some(run_id);
        self
    }

    /// Keeps the cause for the log.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(std::sync::Arc::new(source));
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The explanation.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// Seconds to wait, where that helps.
    pub fn retry_after(&self) -> Option<u64> {
        self.0.retry_after
    }

    /// The run it belongs to.
    pub fn run_id(&self) -> Option<RunId> {
        self.0.run_id
    }

    /// The narrower reason.
    pub fn reason(&self) -> Option<&'static str> {
        self.0.reason
    }

    /// The first wrong field: OpenAI's `param`.
    pub fn field(&self) -> Option<&str> {
        self.0.errors.first().map(|error| error.field.as_str())
    }

    /// What the outside may see.
    pub fn problem(&self) -> Problem {
        let mut problem = Problem::new(self.0.code, self.0.detail.clone());
        problem.errors.clone_from(&self.0.errors);
        problem.retry_after = self.0.retry_after;
        problem.budget.clone_from(&self.0.budget);
        problem.limit.clone_from(&self.0.limit);
        problem.permission.clone_from(&self.0.permission);
        problem.reason = self.0.reason.map(str::to_owned);
        problem.revision.clone_from(&self.0.revision);
        problem.run_id = self.0.run_id;
        problem.egress.clone_from(&self.0.egress);
        problem.unpriced.clone_from(&self.0.unpriced);
        problem
    }
}

impl From<ledger::LedgerError> for Error {
    fn from(error: ledger::LedgerError) -> Self {
        use ledger::LedgerError as L;
        match error {
            L::Refused(refusal) => refusal.into(),
            L::Overloaded => {
                Self::new(Code::LedgerOverloaded, "the ledger's queue is full, try again").with_retry_after(1)
            }
            L::StorageFull => Self::new(Code::StorageFull, "the disk of the ledger is full").with_source(error),
            L::Unavailable(_) => {
                Self::new(Code::LedgerUnavailable, "the ledger cannot be reached, nothing was started")
                    .with_retry_after(1)
                    .with_source(error)
            }
            L::Internal(_) => Self::internal(error),
        }
    }
}

impl From<ledger::Refusal> for Error {
    fn from(refusal: ledger::Refusal) -> Self {
        use ledger::Refusal as R;
        match refusal {
            R::State { what, present } => {
                Self::new(Code::InvalidTransition, format!("the {what} is `{present}`, which does not allow this"))
            }
            R::Version { table, current } => {
                Self::new(Code::PreconditionFailed, format!("the {table} changed since it was read"))
                    .with_revision(current.to_string())
            }
            R::Unique { constraint } => Self::new(Code::AlreadyExists, "it exists already")
                .with_field(ledger::unique_field(&constraint).to_owned(), "is taken, choose another"),
            R::Fenced => {
                Self::new(Code::Fenced, "this process was replaced and starts nothing more").with_retry_after(1)
            }
            R::Missing { what } => Self::new(Code::NotFound, format!("there is no such {what}")),
            R::AuthEpoch { .. } => {
                Self::new(Code::Busy, "access rules changed at this moment, try again").with_retry_after(1)
            }
            R::Stale { .. } => Self::new(Code::Busy, "the task changed at this moment, try again").with_retry_after(1),
            R::Claimed(_) => Self::new(
                Code::IdempotencyInFlight,
                "the first request with this `Idempotency-Key` is not done yet, try again",
            )
            .with_retry_after(1),
            other @ (R::Limit { .. } | R::Closed | R::Duplicate { .. } | R::Invalid { .. }) => Self::internal(other),
        }
    }
}
