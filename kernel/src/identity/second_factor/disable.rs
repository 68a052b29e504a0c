//! Doing without a second factor: by oneself with a fresh proof, or by whoever runs the instance for who lost it.

use std::sync::Arc;

use types::mfa::MfaLevel;
use types::problem::Code;

use super::read::is_enforced;
use super::write::{ATTEMPTS, Change, busy};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::commit::raise_epochs;
use crate::identity::login::home;
use crate::identity::{Email, Identity};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::record::{Row, SecondFactor, Session};

impl Identity {
    /// Takes one's second factor away, its recovery codes with it. Not while a workspace asks for it.
    pub async fn disable_mfa(&self, ctx: &OpContext) -> Result<()> {
        self.change_factor(ctx, "me.disable_mfa", |seen| {
            let Some(factor) = seen.factor.filter(is_there) else { return Ok(Change { ops: Vec::new(), answer: () }) };
            if factor.active.is_some() && is_enforced(&seen.account) {
                let detail = "a workspace of yours asks for a second factor, set up another one instead";
                return Err(Error::new(Code::MfaEnforced, detail));
            }
            let session = Session { mfa: MfaLevel::None, version: seen.session.version + 1, ..seen.session };
            let audit = Audit::done(ctx, &*self.ports.ids, "mfa.disabled", "me.disable_mfa", ("user", factor.user_id));
            let rows = [Row::SecondFactor(without(factor)), Row::Session(session)];
            let rows = rows.map(|row| Op::RowPut(Arc::new(row)));
            Ok(Change { ops: rows.into_iter().chain([audit.into()]).collect(), answer: () })
        })
        .await
    }

    /// Takes the second factor of an address's account away, at the command line; false where there is none.
    pub async fn remove_second_factor(&self, email: &str) -> Result<bool> {
        let email = Email::parse(email, "email")?;
        for _ in 0..ATTEMPTS {
            let account = self.ports.directory.find_account_by_email(email.key()).await?;
            let account = account.ok_or_else(|| Error::new(Code::NotFound, "no account has this address"))?;
            let user_id = account.user.id;
            let factor = self.ports.second_factors.find_second_factor(user_id).await?;
            let Some(factor) = factor.filter(is_there) else { return Ok(false) };
            let ids = &*self.ports.ids;
            let ctx = OpContext::system("cli", home(&account), ids.request(), self.ports.clock.now());
            let audit = Audit::done(&ctx, ids, "mfa.disabled", "admin.disable_mfa", ("user", user_id));
            let batch = Batch::opening(ctx.scope, Durability::Power)
                .with([Op::RowPut(Arc::new(Row::SecondFactor(without(factor)))), audit.into()])
                .with(raise_epochs(&account));
            match self.ports.ledger.commit(batch).await {
                Ok(_) => return Ok(true),
                Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(busy())
    }
}

fn is_there(factor: &SecondFactor) -> bool {
    factor.active.is_some() || factor.pending.is_some()
}

/// The row without anything that counts. How many seeds there were stays, so that no number comes twice.
fn without(factor: SecondFactor) -> SecondFactor {
    SecondFactor { active: None, pending: None, recovery: Vec::new(), version: factor.version + 1, ..factor }
}
