//! Setting up an authenticator app: a seed, shown once, that counts after a code of it was confirmed.

use std::sync::Arc;

use types::mfa::MfaSetup;

use super::judge::unreadable;
use super::write::{Change, Seen, check_proof};
use crate::context::OpContext;
use crate::error::Result;
use crate::identity::Identity;
use crate::ledger::{Audit, Op};
use crate::port::SEED;
use crate::record::{Row, SecondFactor};

impl Identity {
    /// A fresh seed. One that was not confirmed is forgotten; one that counts goes on until the fresh one is.
    pub async fn setup_mfa(&self, ctx: &OpContext) -> Result<MfaSetup> {
        self.change_factor(ctx, "me.setup_mfa", |seen| self.decide_setup(ctx, seen)).await
    }

    fn decide_setup(&self, ctx: &OpContext, seen: Seen) -> Result<Change<MfaSetup>> {
        let Seen { account, session, factor } = seen;
        check_proof(ctx, &account, &session)?;
        let user = &account.user;
        let before = factor.unwrap_or_else(|| SecondFactor {
            user_id: user.id,
            active: None,
            pending: None,
            seeds: 0,
            last_step: 0,
            recovery: Vec::new(),
            version: 0,
        });
        let number = before.seeds + 1;
        let mut seed = [0; SEED];
        self.ports.ids.random(&mut seed);
        let (sealed, shown) = self.ports.totp.enroll(user.id, number, &user.email, &seed).map_err(unreadable)?;
        let factor = SecondFactor { pending: Some(sealed), seeds: number, version: before.version + 1, ..before };
        let audit = Audit::done(ctx, &*self.ports.ids, "mfa.set_up", "me.setup_mfa", ("user", user.id));
        Ok(Change {
            ops: vec![Op::RowPut(Arc::new(Row::SecondFactor(factor))), audit.into()],
            answer: MfaSetup {
                secret: shown.secret.expose().to_owned(),
                otpauth_uri: shown.uri.expose().to_owned(),
                qr_svg: shown.qr_svg.expose().to_owned(),
            },
        })
    }
}
