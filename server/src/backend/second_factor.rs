//! One's own second factor.

use app::backend::second_factor::{Act, Done, SetUp, Shown};
use app::backend::{Answer, SecondFactor};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::OpContext;
use kernel::identity::SignedIn;
use kernel::secret::SecretString;
use types::identity::StepUp;
use types::mfa::{ConfirmMfa, MfaSetup};

use super::Visitor;
use crate::session::{Ticket, hand_over};

/// A form of the page.
pub(crate) struct SecondFactorForm {
    pub(crate) act: Act,
    pub(crate) code: Option<String>,
    pub(crate) password: Option<SecretString>,
}

#[async_trait]
impl SecondFactor for Visitor {
    async fn find_second_factor(&self) -> Answer<Shown> {
        if let Some(shown) = self.shown() {
            return Ok(shown);
        }
        let found = async { self.app.identity.find_mfa(&self.person().await?).await };
        self.answer(found.await.map(|mfa| Shown { mfa, done: None }))
    }
}

impl Visitor {
    /// Does what a form asks for and keeps what came of it for the page of this request. Whoever is signed out meanwhile is
    /// told so by the page.
    pub(crate) async fn post_second_factor(&self, form: SecondFactorForm) {
        let Ok(ctx) = self.person().await else { return };
        let act = form.act;
        let ticket = Ticket::fresh(&*self.app.ids);
        let (done, signed_in) = match self.answer(self.act(&ctx, form, ticket).await) {
            Ok(done) => done,
            Err(problem) => (Done::Refused(act, Box::new(problem)), None),
        };
        // Before the cookie changes: this request came with the old one.
        let seen = self.answer(self.app.identity.find_mfa(&ctx).await);
        if let Some(signed_in) = signed_in
            && self.answer(hand_over(&self.session, ticket, signed_in.expires_at).await).is_err()
        {
            return;
        }
        if let Ok(mfa) = seen {
            self.show(Shown { mfa, done: Some(done) });
        }
    }

    /// What came of a form, and the session that goes on under the ticket, if it does.
    async fn act(
        &self,
        ctx: &OpContext,
        form: SecondFactorForm,
        ticket: Ticket,
    ) -> kernel::Result<(Done, Option<SignedIn>)> {
        let identity = &self.app.identity;
        match form.act {
            Act::SetUp => Ok((Done::SetUp(shown(identity.setup_mfa(ctx).await?)), None)),
            Act::Confirm => {
                let command = ConfirmMfa { code: form.code.unwrap_or_default() };
                let (signed_in, codes) = identity.confirm_mfa(ctx, &command, Some(ticket.digest())).await?;
                Ok((Done::Codes(codes), Some(signed_in)))
            }
            Act::Renew => Ok((Done::Codes(identity.renew_recovery_codes(ctx).await?), None)),
            Act::Disable => identity.disable_mfa(ctx).await.map(|()| (Done::Disabled, None)),
            Act::Prove => {
                // One field or the other: the code, where both were filled in.
                let password = form.password.filter(|_| form.code.is_none());
                let password = password.map(|password| password.expose().to_owned());
                let proof = StepUp { password, code: form.code };
                let signed_in = identity.step_up(ctx, &self.client, &proof, Some(ticket.digest())).await?;
                Ok((Done::Proven, Some(signed_in)))
            }
        }
    }
}

fn shown(setup: MfaSetup) -> SetUp {
    let qr = format!("data:image/svg+xml;base64,{}", STANDARD.encode(&setup.qr_svg));
    SetUp { secret: setup.secret, uri: setup.otpauth_uri, qr }
}
