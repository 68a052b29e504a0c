//! Confirming what was set up: the first code proves that the app has the seed.

use std::sync::Arc;

use serde_json::json;
use types::mfa::{ConfirmMfa, MfaLevel, RecoveryCodes};
use types::problem::Code;

use super::judge::{invalid_code, six_digits, unreadable};
use super::recovery;
use super::write::{Change, Seen};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::{Identity, SignedIn};
use crate::ledger::{Audit, Op};
use crate::record::{Digest, Row, SecondFactor, Session};

impl Identity {
    /// Makes the seed that was set up count, in place of one before, and gives recovery codes. The present session has proved
    /// it; the console's cookie is replaced by `cookie`.
    pub async fn confirm_mfa(
        &self,
        ctx: &OpContext,
        command: &ConfirmMfa,
        cookie: Option<Digest>,
    ) -> Result<(SignedIn, RecoveryCodes)> {
        let decide = |seen| self.decide_confirmation(ctx, command, cookie, seen);
        self.change_factor(ctx, "me.confirm_mfa", decide).await
    }

    fn decide_confirmation(
        &self,
        ctx: &OpContext,
        command: &ConfirmMfa,
        cookie: Option<Digest>,
        seen: Seen,
    ) -> Result<Change<(SignedIn, RecoveryCodes)>> {
        let Seen { account, session, factor } = seen;
        let user_id = account.user.id;
        let nothing =
            || Error::new(Code::InvalidTransition, "no second factor waits to be confirmed, set one up first");
        let factor = factor.ok_or_else(nothing)?;
        let seed = factor.pending.clone().ok_or_else(nothing)?;
        let digits = six_digits(&command.code).ok_or_else(invalid_code)?;
        let now = self.ports.clock.now();
        let step = self.ports.totp.step_of(user_id, &seed, &digits, now).map_err(unreadable)?;
        let last_step = step.ok_or_else(invalid_code)?;
        let (recovery_codes, recovery) = recovery::fresh(&*self.ports.ids, &*self.ports.sealer, user_id);
        let replaced = factor.active.is_some();
        let factor = SecondFactor {
            active: Some((seed, now)),
            pending: None,
            last_step,
            recovery,
            version: factor.version + 1,
            ..factor
        };
        let session = Session {
            token: cookie.unwrap_or(session.token),
            mfa: MfaLevel::Totp,
            version: session.version + 1,
            ..session
        };
        let signed_in = SignedIn::on(&session);
        let audit = Audit::done(ctx, &*self.ports.ids, "mfa.enabled", "me.confirm_mfa", ("user", user_id))
            .with_payload(json!({ "replaced": replaced }));
        let rows = [Row::SecondFactor(factor), Row::Session(session)].map(|row| Op::RowPut(Arc::new(row)));
        Ok(Change {
            ops: rows.into_iter().chain([audit.into()]).collect(),
            answer: (signed_in, RecoveryCodes { recovery_codes }),
        })
    }
}
