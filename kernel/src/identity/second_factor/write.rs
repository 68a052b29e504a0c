//! Changing one's second factor, decided anew while others write it; and writing down wrong codes.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use types::mfa::MfaLevel;
use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::commit::raise_epochs;
use crate::identity::login::home;
use crate::identity::throttle::CodeFailures;
use crate::identity::{ELEVATED_FOR, Identity};
use crate::ledger::{Audit, Batch, Durability, Op, Outcome};
use crate::policy::guard::authorize;
use crate::port::Account;
use crate::record::{Row, SecondFactor, Session};

/// How often a row that others write too is tried.
pub(super) const ATTEMPTS: usize = 10;

/// What is to be written of a decision, and its answer. Without operations nothing is.
pub(super) struct Change<T> {
    pub(super) ops: Vec<Op>,
    pub(super) answer: T,
}

/// What a change is decided on.
pub(super) struct Seen {
    pub(super) account: Account,
    pub(super) session: Session,
    pub(super) factor: Option<SecondFactor>,
}

impl Identity {
    /// Writes what `decide` makes of one's second factor. Every decision about the person made before is stale then.
    pub(super) async fn change_factor<T: Send>(
        &self,
        ctx: &OpContext,
        action: &'static str,
        decide: impl Fn(Seen) -> Result<Change<T>> + Send + Sync,
    ) -> Result<T> {
        authorize(ctx, action)?;
        for _ in 0..ATTEMPTS {
            let (account, session) = self.own_session(ctx).await?;
            let factor = self.ports.second_factors.find_second_factor(account.user.id).await?;
            let raised: Vec<Op> = raise_epochs(&account).collect();
            let change = decide(Seen { account, session, factor })?;
            if change.ops.is_empty() {
                return Ok(change.answer);
            }
            let batch = Batch::opening(ctx.scope, Durability::Power).with(change.ops).with(raised);
            match self.commit(ctx, batch, |ctx| authorize(ctx, action)).await {
                Ok(_) => return Ok(change.answer),
                // Somebody was faster: what they left is looked at.
                Err(error) if error.code() == Code::PreconditionFailed => {}
                Err(error) => return Err(error),
            }
        }
        Err(busy())
    }

    /// A wrong code, counted: with whatever else it moves, under the audit of who tried it.
    pub(super) fn wrong_code(
        &self,
        account: &Account,
        failures: CodeFailures,
        audit: Audit,
        now: DateTime<Utc>,
    ) -> Batch {
        let counted = failures.one_more(&self.settings, now);
        let throttled = counted.blocked_until.is_some().then(|| {
            let audit = Audit { id: self.ports.ids.audit(), ..audit.clone() };
            Audit { event_type: "mfa.throttled".to_owned(), ..audit }.with_outcome(Outcome::Failed)
        });
        let audit = audit.with_outcome(Outcome::Failed);
        Batch::opening(home(account), Durability::Power)
            .with([Op::RowPut(Arc::new(Row::LoginThrottle(counted))), audit.into()])
            .with(throttled.map(Op::from))
    }
}

/// Setting up a second factor or new codes takes a proof of who one is: a fresh one, or having signed in as lately with all
/// one has. Else a stolen session would make itself one.
pub(super) fn check_proof(ctx: &OpContext, account: &Account, session: &Session) -> Result<()> {
    let is_new = ctx.now - session.created_at < ELEVATED_FOR;
    let is_whole = session.mfa != MfaLevel::None || !account.second_factor;
    if ctx.is_elevated() || is_new && is_whole {
        return Ok(());
    }
    let detail = "changing the second factor needs a fresh proof of who you are, enter your password or a code";
    let error = Error::new(Code::StepUpRequired, detail);
    Err(if ctx.has_password { error } else { error.with_reason("identity_provider") })
}

pub(super) fn busy() -> Error {
    Error::new(Code::Busy, "too many sign-ins of this account at once, try again").with_retry_after(1)
}
