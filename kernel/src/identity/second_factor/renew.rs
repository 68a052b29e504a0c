//! New recovery codes in place of the old.

use std::sync::Arc;

use types::mfa::RecoveryCodes;
use types::problem::Code;

use super::recovery;
use super::write::{Change, check_proof};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::{Audit, Op};
use crate::record::{Row, SecondFactor};

impl Identity {
    /// A new set of recovery codes; those before count no more.
    pub async fn renew_recovery_codes(&self, ctx: &OpContext) -> Result<RecoveryCodes> {
        let action = "me.renew_recovery_codes";
        self.change_factor(ctx, action, |seen| {
            check_proof(ctx, &seen.account, &seen.session)?;
            let factor = seen.factor.filter(|factor| factor.active.is_some());
            let factor = factor.ok_or_else(|| {
                Error::new(Code::InvalidTransition, "there is no second factor, set one up: it comes with codes")
            })?;
            let user_id = factor.user_id;
            let (recovery_codes, recovery) = recovery::fresh(&*self.ports.ids, &*self.ports.sealer, user_id);
            let factor = SecondFactor { recovery, version: factor.version + 1, ..factor };
            let audit = Audit::done(ctx, &*self.ports.ids, "mfa.recovery_codes_renewed", action, ("user", user_id));
            Ok(Change {
                ops: vec![Op::RowPut(Arc::new(Row::SecondFactor(factor))), audit.into()],
                answer: RecoveryCodes { recovery_codes },
            })
        })
        .await
    }
}
