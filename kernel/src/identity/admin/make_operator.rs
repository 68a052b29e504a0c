//! Making somebody an operator.

use std::sync::Arc;

use types::id::UserId;
use types::problem::Code;

use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::commit::raise_epochs;
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::record::{Row, User};

impl Identity {
    /// Makes the account of an address an operator's; false when it is one already.
    pub async fn make_operator(&self, email: &str) -> Result<(UserId, bool)> {
        let (account, ctx) = self.named_account(email).await?;
        let id = account.user.id;
        if !account.user.status.may_act() {
            return Err(Error::new(Code::SubjectDisabled, "the account is not active"));
        }
        if account.user.is_operator {
            return Ok((id, false));
        }
        let user = User { is_operator: true, version: account.user.version + 1, ..account.user.clone() };
        let audit = Audit::done(&ctx, &*self.ports.ids, "admin.cli", "admin.make_operator", ("user", id));
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::User(user))), audit.into()])
            .with(raise_epochs(&account));
        self.ports.ledger.commit(batch).await?;
        Ok((id, true))
    }
}
