//! Sending a browser to the provider.

use types::id::SsoConnectionId;
use types::problem::Code;
use url::Url;

use super::flow::{Flow, LIFE, Purpose, challenge, flow_name, random};
use crate::context::{Credential, OpContext};
use crate::error::{Error, Result};
use crate::identity::{Client, Identity};
use crate::policy::guard::authorize;

/// The longest way back that is carried along.
const MOST_NEXT: usize = 1_000;

/// A sign-in that was started: where the browser goes, and what it takes along.
#[derive(Clone, Debug)]
pub struct Started {
    /// The provider's page.
    pub redirect: String,
    /// Tells this flow's cookie from others.
    pub name: String,
    /// The cookie's text.
    pub cookie: String,
    /// Seconds it is good for.
    pub max_age: u64,
}

impl Identity {
    /// Starts a sign-in at a connection, to go on at `next`. Nothing is written.
    pub async fn start_sso(&self, client: &Client, id: SsoConnectionId, next: &str) -> Result<Started> {
        self.start(client, id, next, Purpose::SignIn).await
    }

    /// Starts linking an account to one's own, from the page that alone can know `proof`.
    pub async fn start_sso_link(
        &self,
        client: &Client,
        ctx: &OpContext,
        id: SsoConnectionId,
        proof: &str,
        next: &str,
    ) -> Result<Started> {
        authorize(ctx, "me.link_sso")?;
        let (Credential::Session(session_id), Some(user_id)) = (&ctx.credential, ctx.user_id) else {
            return Err(Error::new(Code::ScopeRequired, "this needs a signed-in session"));
        };
        // Sent from elsewhere it would link what somebody else is signed in to at the provider.
        if proof != self.link_proof(*session_id, id) {
            return Err(Error::new(Code::CsrfFailed, "linking starts on the page of one's profile, open it there"));
        }
        self.start(client, id, next, Purpose::Link(user_id, *session_id)).await
    }

    pub(super) async fn start(
        &self,
        client: &Client,
        id: SsoConnectionId,
        next: &str,
        purpose: Purpose,
    ) -> Result<Started> {
        let now = self.ports.clock.now();
        self.strangers.check(client.address, now)?;
        let Some(connection) = self.ports.sso.store.find_connection(id).await? else {
            self.strangers.count(client.address, now);
            return Err(Error::not_found());
        };
        let described = self.described(&connection).await?;
        let ids = &*self.ports.ids;
        let (state, nonce, verifier) = (random(ids), random(ids), random(ids));
        let mut url = Url::parse(&described.authorization_endpoint).map_err(Error::internal)?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &connection.client_id)
            .append_pair("redirect_uri", &self.redirect_uri(&connection))
            .append_pair("scope", &connection.scopes.join(" "))
            .append_pair("state", &state)
            .append_pair("nonce", &nonce)
            .append_pair("code_challenge", &challenge(&verifier))
            .append_pair("code_challenge_method", "S256");
        if matches!(purpose, Purpose::StepUp(..)) {
            // Whoever is signed in there is asked again. `max_age` makes the provider say when that was.
            url.query_pairs_mut().append_pair("prompt", "login").append_pair("max_age", "0");
        }
        let next = if next.len() > MOST_NEXT { "/" } else { next };
        let flow = Flow { connection_id: id, nonce, verifier, next: next.to_owned(), purpose, expires_at: now + LIFE };
        Ok(Started {
            redirect: url.into(),
            name: flow_name(&state),
            cookie: flow.seal(&*self.ports.sealer, &state)?,
            max_age: u64::try_from(LIFE.num_seconds()).unwrap_or_default(),
        })
    }
}
