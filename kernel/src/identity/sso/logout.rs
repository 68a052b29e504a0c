//! Hearing of sign-outs from the provider itself (OpenID Connect Back-Channel Logout 1.0).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use sha2::{Digest as _, Sha256};
use types::id::{SsoConnectionId, SsoLogoutId, TenantId, Uuid};
use types::problem::Code;

use super::claims::{Between, SignedOut, signed_out};
use super::{ATTEMPTS, busy, failed};
use crate::context::Scope;
use crate::error::{Error, Result};
use crate::identity::{Client, Identity};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::record::{Row, Session, SsoConnection, SsoLogout};
use crate::secret::SecretString;

/// Sessions ended in one batch at most.
const ENDED_AT_ONCE: usize = 200;

impl Identity {
    /// Ends what a provider says has ended: the sessions of one of its own, or all of somebody. Each word counts once.
    pub async fn end_sso_sessions(&self, client: &Client, id: SsoConnectionId, token: SecretString) -> Result<()> {
        let now = self.ports.clock.now();
        self.strangers.check(client.address, now)?;
        let Some(connection) = self.ports.sso.store.find_connection(id).await? else {
            self.strangers.count(client.address, now);
            return Err(Error::not_found());
        };
        let told = match self.heard(&connection, &token).await {
            Err(error) if error.code() == Code::SsoFailed => {
                self.strangers.count(client.address, now);
                return Err(error);
            }
            heard => heard?,
        };
        let link = match &told.subject {
            Some(subject) => match self.ports.sso.store.find_link(&connection.issuer, subject).await? {
                Some(link) => Some(link.id),
                // Nobody here: nothing has to end.
                None => return Ok(()),
            },
            None => None,
        };
        let logout =
            SsoLogout { id: logout_id(id, &told.jti), connection_id: id, expires_at: told.stale_at, version: 1 };
        let mut unheard = Some(Op::RowPut(Arc::new(Row::SsoLogout(logout))));
        for _ in 0..ATTEMPTS {
            let mut opened = self.ports.sso.store.list_opened(id, link, told.sid.as_deref()).await?;
            let is_all = opened.len() <= ENDED_AT_ONCE;
            opened.truncate(ENDED_AT_ONCE);
            let batch = self.sign_outs(client, &connection, opened).await?.with(unheard.clone());
            match self.ports.ledger.commit(batch).await {
                Ok(_) if is_all => return Ok(()),
                Ok(_) => unheard = None,
                Err(LedgerError::Refused(Refusal::Version { table: "sso logout", .. })) => {
                    return Err(failed("jti", "the sign-out was told before"));
                }
                // A session moved meanwhile: it is read again.
                Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(busy())
    }

    /// What ends these sessions, and every decision made for their people.
    async fn sign_outs(&self, client: &Client, connection: &SsoConnection, opened: Vec<Session>) -> Result<Batch> {
        let now = self.ports.clock.now();
        let mut tenants: BTreeSet<TenantId> = BTreeSet::new();
        for user_id in opened.iter().map(|session| session.user_id).collect::<BTreeSet<_>>() {
            let account = self.ports.directory.find_account(user_id).await?;
            tenants.extend(account.iter().flat_map(|account| account.tenants.iter().map(|(tenant, ..)| tenant.id)));
        }
        let ops = opened.into_iter().flat_map(|session| {
            let audit = Audit {
                resource_type: "session".to_owned(),
                resource_id: session.id.to_string(),
                ..self.sso_audit(client, connection, "sso.logout", "auth.sso")
            };
            let audit = audit.with_payload(json!({ "connection_id": connection.id, "user_id": session.user_id }));
            let ended = Session { ended_at: Some(now), version: session.version + 1, ..session };
            [Op::RowPut(Arc::new(Row::Session(ended))), audit.into()]
        });
        let ops: Vec<Op> = ops.collect();
        let tenant = Scope::of_tenant(connection.scope.tenant_id);
        Ok(Batch::opening(tenant, Durability::Power).with(ops).with(tenants.into_iter().map(Op::EpochRaise)))
    }

    async fn heard(&self, connection: &SsoConnection, token: &SecretString) -> Result<SignedOut> {
        let described = self.described(connection).await?;
        let claims = self.believed(connection, &described, token).await?;
        let now = self.ports.clock.now();
        signed_out(&claims, Between { issuer: &connection.issuer, client_id: &connection.client_id, now })
    }
}

/// The id of a provider's word: the same word has the same.
fn logout_id(connection_id: SsoConnectionId, jti: &str) -> SsoLogoutId {
    let digest = Sha256::new().chain_update(connection_id.as_uuid().as_bytes()).chain_update(jti.as_bytes()).finalize();
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    SsoLogoutId::from_uuid(Uuid::from_bytes(bytes))
}
