//! The question for a second factor, between the two steps of a sign-in.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use types::identity::SessionKind;
use types::mfa::{MfaMethod, MfaRequired};
use types::problem::Code;
use types::run::{Caller, CallerKind};

use super::judge::{Used, invalid_code};
use super::write::{ATTEMPTS, busy};
use crate::error::{Error, Result};
use crate::identity::authenticate::check_person;
use crate::identity::login::home;
use crate::identity::token::{self, TokenKind};
use crate::identity::{Client, Email, Identity};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::port::Account;
use crate::record::{Digest, MfaChallenge, Row, SecondFactor, Session};
use crate::secret::SecretString;

/// How long a question waits for its answer.
const LIFE: TimeDelta = TimeDelta::minutes(5);
/// Wrong codes after which it waits no more.
const WRONG: u32 = 5;

/// A question for a second factor, asked.
#[derive(Clone, Debug)]
pub struct Challenge {
    /// `sm_…`, shown once.
    pub token: SecretString,
    /// How it may be answered.
    pub methods: Vec<MfaMethod>,
    /// Seconds it waits.
    pub expires_in: u64,
}

impl From<Challenge> for MfaRequired {
    fn from(challenge: Challenge) -> Self {
        Self {
            mfa_required: true,
            mfa_token: challenge.token.expose().to_owned(),
            methods: challenge.methods,
            expires_in: challenge.expires_in,
        }
    }
}

impl Identity {
    /// Asks who gave the right password for their second factor.
    pub(in crate::identity) async fn ask_code(
        &self,
        client: &Client,
        email: &Email,
        account: &Account,
        secret: SecretString,
        kind: SessionKind,
    ) -> Result<Challenge> {
        let now = self.ports.clock.now();
        let has_codes = self.active_factor(account.user.id).await?.is_some_and(|factor| !factor.recovery.is_empty());
        let (token, digest) = token::mint(TokenKind::Mfa, &*self.ports.ids);
        let challenge = MfaChallenge {
            id: self.ports.ids.mfa_challenge(),
            user_id: account.user.id,
            kind,
            digest,
            wrong: 0,
            created_at: now,
            expires_at: now + LIFE,
            spent_at: None,
            version: 1,
        };
        let audit = self.sign_in_audit(client, Some(account), "mfa.challenged", "auth.login", now);
        let batch = Batch::opening(home(account), Durability::Power)
            .with([Op::RowPut(Arc::new(Row::MfaChallenge(challenge))), audit.into()]);
        self.commit_entry(client, email, account, secret, batch).await?;
        let methods = [Some(MfaMethod::Totp), has_codes.then_some(MfaMethod::RecoveryCode)];
        Ok(Challenge {
            token,
            methods: methods.into_iter().flatten().collect(),
            expires_in: u64::try_from(LIFE.num_seconds()).unwrap_or_default(),
        })
    }

    /// Answers a question with a code: opens the session that `draft` makes, in the write that spends code and question.
    pub(in crate::identity) async fn answer_code(
        &self,
        client: &Client,
        token: &str,
        code: &str,
        kind: SessionKind,
        draft: impl Fn(&Account) -> Session + Send + Sync,
    ) -> Result<Account> {
        let now = self.ports.clock.now();
        let Some((TokenKind::Mfa, digest)) = token::parse(token.trim()) else {
            self.strangers.count(client.address, now);
            return Err(over());
        };
        self.strangers.check(client.address, now)?;
        for _ in 0..ATTEMPTS {
            let (challenge, account, factor) = self.waiting(client, digest, kind, now).await?;
            let failures = self.code_failures(account.user.id, now).await?;
            let used = self.judge(&factor, code, now)?;
            let is_right = used.is_some();
            let batch = match used {
                Some(used) => self.entering(client, &account, challenge, used, draft(&account), now),
                None => {
                    let audit = self.wrong_audit(client, &account, now);
                    let batch = self.wrong_code(&account, failures, audit, now);
                    batch.with([Op::RowPut(Arc::new(Row::MfaChallenge(wrong_once_more(challenge, now))))])
                }
            };
            match self.ports.ledger.commit(batch).await {
                Ok(_) if is_right => return Ok(account),
                Ok(_) => return Err(invalid_code()),
                // Overtaken: perhaps by somebody with the same code, or with one guess more.
                Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(busy())
    }

    /// A question that waits for its answer, whom it asks and for what.
    async fn waiting(
        &self,
        client: &Client,
        digest: Digest,
        kind: SessionKind,
        now: DateTime<Utc>,
    ) -> Result<(MfaChallenge, Account, SecondFactor)> {
        let Some(challenge) = self.ports.second_factors.find_challenge(digest).await? else {
            self.strangers.count(client.address, now);
            return Err(over());
        };
        if challenge.kind != kind || challenge.spent_at.is_some() || now >= challenge.expires_at {
            return Err(over());
        }
        let account = self.ports.directory.find_account(challenge.user_id).await?.ok_or_else(over)?;
        check_person(&account)?;
        // Taken away meanwhile: the password alone will do, given anew.
        let factor = self.active_factor(account.user.id).await?.ok_or_else(over)?;
        Ok((challenge, account, factor))
    }

    /// The batch that opens a session.
    fn entering(
        &self,
        client: &Client,
        account: &Account,
        challenge: MfaChallenge,
        used: Used,
        session: Session,
        now: DateTime<Utc>,
    ) -> Batch {
        let audit = self.sign_in_audit(client, Some(account), "auth.login", "auth.login", now);
        let audit = Audit { credential_id: Some(session.id.to_string()), ..audit };
        let payload = json!({
            "client": client.short_label(), "method": used.method, "recovery_codes_left": used.factor.recovery.len(),
        });
        let spent = MfaChallenge { spent_at: Some(now), version: challenge.version + 1, ..challenge };
        let rows = [Row::SecondFactor(used.factor), Row::MfaChallenge(spent), Row::Session(session)];
        Batch::opening(home(account), Durability::Power)
            .with(rows.map(|row| Op::RowPut(Arc::new(row))))
            .with([audit.with_payload(payload).into()])
    }

    /// Who gave a wrong code is not known to be the person.
    fn wrong_audit(&self, client: &Client, account: &Account, now: DateTime<Utc>) -> Audit {
        let audit = self.sign_in_audit(client, Some(account), "mfa.failed", "auth.login", now);
        Audit { actor: Caller { kind: CallerKind::System, id: "anonymous".to_owned() }, ..audit }
    }
}

fn wrong_once_more(challenge: MfaChallenge, now: DateTime<Utc>) -> MfaChallenge {
    let wrong = challenge.wrong + 1;
    let spent_at = (wrong >= WRONG).then_some(now);
    MfaChallenge { wrong, spent_at, version: challenge.version + 1, ..challenge }
}

/// Never there, answered, ended by wrong codes or too old: one answer for all.
fn over() -> Error {
    Error::new(Code::ChallengeExpired, "the sign-in waited too long or was answered before, start it again")
}
