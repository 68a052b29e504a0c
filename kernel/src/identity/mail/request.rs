//! Having a mail sent to an address that somebody names, who may be anybody.
//!
//! An address that has an account and one that has none take the same path, write as many rows and get the same answer.

use chrono::{DateTime, Utc};
use serde_json::json;
use types::problem::Code;
use types::run::{Caller, CallerKind};

use crate::context::Scope;
use crate::error::{Error, Result};
use crate::identity::login::home;
use crate::identity::{Client, Email, Identity};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Outcome, Refusal};
use crate::port::Account;
use crate::record::Mail;

/// How often it is written anew while others count the same address.
const ATTEMPTS: usize = 5;

impl Identity {
    /// Writes the mail that `draft` makes of the account of an address, if there is one. Beyond the limit nothing is written,
    /// and nobody is told.
    pub(in crate::identity) async fn request_mail(
        &self,
        client: &Client,
        email: &Email,
        event: &str,
        draft: impl Fn(Option<&Account>, DateTime<Utc>) -> Mail + Send + Sync,
    ) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let now = self.ports.clock.now();
            let Some(counts) = self.count_mail(client, email, now).await? else { return Ok(()) };
            let account = self.ports.directory.find_account_by_email(email.key()).await?;
            let account = account.filter(|account| account.user.status.may_act());
            let audit = self.asked_by_anybody(client, account.as_ref(), email, event, now);
            let batch = Batch::opening(account.as_ref().map_or(Scope::INSTANCE, home), Durability::Power)
                .with(counts)
                .with(self.send(draft(account.as_ref(), now)))
                .with([audit.into()]);
            match self.ports.ledger.commit(batch).await {
                Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                outcome => return outcome.map(|_| ()).map_err(Error::from),
            }
        }
        Err(Error::new(Code::Busy, "too many such requests at once, try again").with_retry_after(1))
    }

    /// That somebody asked who is not known. The address is kept only as a keyed hash.
    fn asked_by_anybody(
        &self,
        client: &Client,
        account: Option<&Account>,
        email: &Email,
        event: &str,
        now: DateTime<Utc>,
    ) -> Audit {
        Audit {
            id: self.ports.ids.audit(),
            event_type: event.to_owned(),
            operation: "auth.request_mail".to_owned(),
            outcome: Outcome::Done,
            resource_type: "user".to_owned(),
            resource_id: account.map_or_else(|| "unknown".to_owned(), |account| account.user.id.to_string()),
            actor: Caller { kind: CallerKind::System, id: "anonymous".to_owned() },
            run_id: None,
            address: Some(client.address_text()).filter(|address| !address.is_empty()),
            credential_id: None,
            payload: json!({ "email_hash": self.keyed_hash("audit-email", &[email.key()]) }),
            occurred_at: now,
        }
    }
}
