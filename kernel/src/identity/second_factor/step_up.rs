//! Proving oneself again with a code instead of the password.

use std::sync::Arc;

use serde_json::json;
use types::mfa::MfaLevel;
use types::problem::Code;

use super::judge::{Used, invalid_code};
use super::write::{ATTEMPTS, busy};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::commit::raise_epochs;
use crate::identity::{ELEVATED_FOR, Identity, SignedIn};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard::authorize;
use crate::record::{Digest, Row, Session};

impl Identity {
    /// Proves oneself again with a code, for ten minutes; the session has proved a second factor from then on.
    pub(in crate::identity) async fn step_up_by_code(
        &self,
        ctx: &OpContext,
        code: &str,
        cookie: Option<Digest>,
    ) -> Result<SignedIn> {
        let audited = |event| {
            let user_id = ctx.user_id.map(|id| id.to_string()).unwrap_or_default();
            Audit::done(ctx, &*self.ports.ids, event, "me.step_up", ("user", user_id))
        };
        for _ in 0..ATTEMPTS {
            let now = self.ports.clock.now();
            let (account, session) = self.own_session(ctx).await?;
            let factor = self.active_factor(account.user.id).await?;
            let factor =
                factor.ok_or_else(|| Error::invalid("code", "belongs to no second factor, send `password`"))?;
            let failures = self.code_failures(account.user.id, now).await?;
            let Some(Used { factor, method }) = self.judge(&factor, code, now)? else {
                let batch = self.wrong_code(&account, failures, audited("mfa.failed"), now);
                match self.ports.ledger.commit(batch).await {
                    Ok(_) => return Err(invalid_code()),
                    Err(LedgerError::Refused(Refusal::Version { .. })) => continue,
                    Err(error) => return Err(error.into()),
                }
            };
            let elevated = Session {
                token: cookie.unwrap_or(session.token),
                mfa: MfaLevel::Totp,
                elevated_until: Some(now + ELEVATED_FOR),
                version: session.version + 1,
                ..session
            };
            let signed_in = SignedIn::on(&elevated);
            let audit = Audit::done(ctx, &*self.ports.ids, "step_up", "me.step_up", ("session", elevated.id))
                .with_payload(json!({ "method": method }));
            let rows = [Row::SecondFactor(factor), Row::Session(elevated)].map(|row| Op::RowPut(Arc::new(row)));
            let batch = Batch::opening(ctx.scope, Durability::Power)
                .with(rows)
                .with([audit.into()])
                .with(raise_epochs(&account));
            match self.commit(ctx, batch, |ctx| authorize(ctx, "me.step_up")).await {
                Ok(_) => return Ok(signed_in),
                // Overtaken: perhaps by somebody with the same code.
                Err(error) if error.code() == Code::PreconditionFailed => {}
                Err(error) => return Err(error),
            }
        }
        Err(busy())
    }
}
