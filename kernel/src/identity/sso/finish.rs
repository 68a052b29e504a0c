//! What a browser brings back from the provider.

use types::id::SsoConnectionId;
use types::problem::Code;
use types::run::{Caller, CallerKind};

use super::claims::{Between, Person, check_fresh, person};
use super::failed;
use super::flow::{Flow, Purpose, unknown};
use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::{Client, Identity, SignedIn};
use crate::ledger::{Audit, Batch, Durability, Outcome};
use crate::record::{Digest, SsoConnection};
use crate::secret::SecretString;

/// Characters that are shown of a provider's own word.
const MOST_WORD: usize = 60;

/// What a browser brings back. Codes and states are in no log and no record.
#[derive(Clone, Debug)]
pub struct Returned {
    /// What was sent along.
    pub state: SecretString,
    /// What can be traded for a token.
    pub code: Option<SecretString>,
    /// Why there is none.
    pub error: Option<String>,
    /// Who the provider says it is.
    pub iss: Option<String>,
    /// The cookie of the flow, if the browser has it.
    pub cookie: Option<String>,
}

/// What a sign-in came to, and where it goes on.
#[derive(Clone, Debug)]
pub enum Finished {
    /// A session.
    SignedIn(SignedIn, String),
    /// The account of the provider signs in to one's own from now on.
    Linked(String),
    /// The present session is freshly proven.
    Proven(SignedIn, String),
}

/// What a sign-in did not come to.
#[derive(Clone, Debug)]
pub struct Unfinished {
    /// Why.
    pub error: Error,
    /// Where it wanted to go on.
    pub next: String,
    /// Whether somebody asked for it who was signed in, on the page where it goes on.
    pub is_signed_in: bool,
}

impl Identity {
    /// Finishes what [`Identity::start_sso`], [`Identity::start_sso_link`] or [`Identity::start_sso_step_up`] started: opens a
    /// console session under the digest of a fresh cookie, links the account to that of `ctx`, or proves the session of `ctx` anew.
    pub async fn finish_sso(
        &self,
        client: &Client,
        ctx: Option<&OpContext>,
        id: SsoConnectionId,
        returned: Returned,
        cookie: Digest,
    ) -> std::result::Result<Finished, Unfinished> {
        let strange = |error| Unfinished { error, next: "/".to_owned(), is_signed_in: false };
        let (flow, connection) = self.came_back(client, id, &returned).await.map_err(strange)?;
        let (next, is_signed_in) = (flow.next.clone(), flow.purpose != Purpose::SignIn);
        let finished = self.finish(client, ctx, &connection, flow, returned, cookie).await;
        match finished {
            Ok(finished) => Ok(finished),
            Err(error) => {
                self.note_failure(client, &connection, &error).await;
                Err(Unfinished { error, next, is_signed_in })
            }
        }
    }

    /// The flow a browser started, and its connection.
    async fn came_back(
        &self,
        client: &Client,
        id: SsoConnectionId,
        returned: &Returned,
    ) -> Result<(Flow, SsoConnection)> {
        let now = self.ports.clock.now();
        self.strangers.check(client.address, now)?;
        let cookie = returned.cookie.as_deref().unwrap_or_default();
        let opened = Flow::open(&*self.ports.sealer, returned.state.expose(), cookie, now);
        let flow = opened.and_then(|flow| if flow.connection_id == id { Ok(flow) } else { Err(unknown()) });
        let found = match flow {
            Ok(flow) => self.ports.sso.store.find_connection(id).await?.map(|connection| (flow, connection)),
            Err(error) => {
                self.strangers.count(client.address, now);
                return Err(error);
            }
        };
        found.ok_or_else(Error::not_found)
    }

    async fn finish(
        &self,
        client: &Client,
        ctx: Option<&OpContext>,
        connection: &SsoConnection,
        flow: Flow,
        returned: Returned,
        cookie: Digest,
    ) -> Result<Finished> {
        let started_at = flow.started_at();
        let Flow { nonce, verifier, next, purpose, .. } = flow;
        let told = self.ask(connection, &nonce, SecretString::new(verifier), returned).await?;
        match purpose {
            Purpose::SignIn => Ok(Finished::SignedIn(self.enter_sso(client, connection, &told, cookie).await?, next)),
            Purpose::Link(user_id, session_id) => {
                self.link_sso(ctx, (user_id, session_id), connection, &told).await?;
                Ok(Finished::Linked(next))
            }
            Purpose::StepUp(user_id, session_id) => {
                check_fresh(&told, started_at)?;
                let asked = (user_id, session_id);
                Ok(Finished::Proven(self.step_up_by_sso(ctx, asked, connection, &told, cookie).await?, next))
            }
        }
    }

    /// Who the provider says came back.
    async fn ask(
        &self,
        connection: &SsoConnection,
        nonce: &str,
        verifier: SecretString,
        returned: Returned,
    ) -> Result<Person> {
        if returned.iss.as_ref().is_some_and(|iss| *iss != connection.issuer) {
            return Err(failed("issuer", "the answer is of another provider"));
        }
        if let Some(word) = &returned.error {
            let word: String = word.chars().filter(char::is_ascii_graphic).take(MOST_WORD).collect();
            return Err(failed("provider", &format!("the identity provider ended the sign-in: `{word}`")));
        }
        let code = returned.code.ok_or_else(|| failed("code", "the answer of the provider holds no code"))?;
        let described = self.described(connection).await?;
        if described.names_itself && returned.iss.is_none() {
            return Err(failed("issuer", "the answer does not say which provider it is of"));
        }
        let token = self.trade(connection, &described, code, verifier).await?;
        let claims = self.believed(connection, &described, &token).await?;
        let between =
            Between { issuer: &connection.issuer, client_id: &connection.client_id, now: self.ports.clock.now() };
        person(&claims, between, nonce, connection.group_claim.as_deref())
    }

    /// Records a sign-in that came to nothing. That a provider is down is no matter of who signs in.
    async fn note_failure(&self, client: &Client, connection: &SsoConnection, error: &Error) {
        if !matches!(error.code(), Code::SsoFailed | Code::SsoRefused | Code::SubjectDisabled) {
            return;
        }
        self.strangers.count(client.address, self.ports.clock.now());
        let payload = serde_json::json!({ "code": error.code(), "reason": error.reason() });
        let audit = self.sso_audit(client, connection, "sso.failed", "auth.sso").with_payload(payload);
        let tenant = Scope::of_tenant(connection.scope.tenant_id);
        let batch = Batch::opening(tenant, Durability::Process).with([audit.with_outcome(Outcome::Failed).into()]);
        if let Err(error) = self.ports.ledger.commit(batch).await {
            tracing::warn!(%error, "a failed sign-in could not be recorded");
        }
    }

    /// What happened at a connection, by nobody who is known yet.
    pub(super) fn sso_audit(
        &self,
        client: &Client,
        connection: &SsoConnection,
        event_type: &str,
        operation: &str,
    ) -> Audit {
        Audit {
            id: self.ports.ids.audit(),
            event_type: event_type.to_owned(),
            operation: operation.to_owned(),
            outcome: Outcome::Done,
            resource_type: "sso_connection".to_owned(),
            resource_id: connection.id.to_string(),
            actor: Caller { kind: CallerKind::System, id: "anonymous".to_owned() },
            run_id: None,
            address: Some(client.address_text()).filter(|address| !address.is_empty()),
            credential_id: None,
            payload: serde_json::Value::Null,
            occurred_at: self.ports.clock.now(),
        }
    }
}
