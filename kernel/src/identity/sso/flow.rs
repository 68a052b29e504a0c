//! What a browser carries from the start of a sign-in to its end: sealed in a cookie under the `state`, which travels by way of
//! the provider. Only both together open it, so what comes back was started by this browser, here, and not long ago.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use types::id::{SessionId, SsoConnectionId, UserId};

use super::failed;
use crate::error::{Error, Result};
use crate::port::{Ids, Sealer};
use crate::secret::Sealed;

/// How long a sign-in may take.
pub(super) const LIFE: TimeDelta = TimeDelta::minutes(10);
/// What the cookie's text is bound to besides the state.
const NAME: &str = "sso/flow";
/// Bytes of what nobody can guess.
const RANDOM: usize = 32;

/// A sign-in on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Flow {
    /// At which connection.
    pub(super) connection_id: SsoConnectionId,
    /// What the token must repeat.
    pub(super) nonce: String,
    /// What the challenge was made of.
    pub(super) verifier: String,
    /// Where to go afterwards.
    pub(super) next: String,
    /// What it is for.
    pub(super) purpose: Purpose,
    /// Until when it can be finished.
    pub(super) expires_at: DateTime<Utc>,
}

/// What the provider is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Purpose {
    /// To say who comes in.
    SignIn,
    /// An account that is to be linked to that of a person, who asked in this session.
    Link(UserId, SessionId),
    /// A fresh proof that it is still this person, in this session.
    StepUp(UserId, SessionId),
}

/// The part of the cookie's name that tells flows apart: two tabs may sign in at once.
pub fn flow_name(state: &str) -> String {
    Sha256::digest(state.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Text that nobody can guess.
pub(super) fn random(ids: &dyn Ids) -> String {
    let mut bytes = [0; RANDOM];
    ids.random(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The challenge of a verifier, by S256.
pub(super) fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

impl Flow {
    /// When it was started.
    pub(super) fn started_at(&self) -> DateTime<Utc> {
        self.expires_at - LIFE
    }

    /// The cookie's text.
    pub(super) fn seal(&self, sealer: &dyn Sealer, state: &str) -> Result<String> {
        let text = serde_json::to_vec(self).map_err(Error::internal)?;
        let Sealed { key_id, nonce, ciphertext } = sealer.seal_under(state, NAME, &text).map_err(Error::internal)?;
        let parts = [key_id.into_bytes(), nonce, ciphertext].map(|part| URL_SAFE_NO_PAD.encode(part));
        Ok(parts.join("."))
    }

    /// What a cookie holds for a state. Whatever is wrong with it, the answer is one.
    pub(super) fn open(sealer: &dyn Sealer, state: &str, cookie: &str, now: DateTime<Utc>) -> Result<Self> {
        let flow = unseal(sealer, state, cookie).filter(|flow| now < flow.expires_at);
        flow.ok_or_else(unknown)
    }
}

fn unseal(sealer: &dyn Sealer, state: &str, cookie: &str) -> Option<Flow> {
    let parts: Option<Vec<Vec<u8>>> = cookie.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).ok()).collect();
    let [key_id, nonce, ciphertext]: [Vec<u8>; 3] = parts?.try_into().ok()?;
    let sealed = Sealed { key_id: String::from_utf8(key_id).ok()?, nonce, ciphertext };
    serde_json::from_slice(&sealer.open_under(state, NAME, &sealed).ok()?).ok()
}

/// What came back was not started here.
pub(super) fn unknown() -> Error {
    failed("state", "the sign-in was not started in this browser, was finished before, or took longer than ten minutes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_that_of_rfc_7636() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn flows_have_names_of_their_own() {
        assert_eq!(flow_name("a").len(), 16);
        assert_ne!(flow_name("a"), flow_name("b"));
    }
}
