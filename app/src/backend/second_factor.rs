//! One's own second factor: where it stands, and what a form of its page has come to.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::mfa::{Mfa, RecoveryCodes};
use types::problem::Problem;

use super::Answer;

/// What a form of the page asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A fresh seed.
    SetUp,
    /// A code of the fresh seed: it counts from now on.
    Confirm,
    /// New recovery codes.
    Renew,
    /// To do without it.
    Disable,
    /// To prove oneself again, by password or code.
    Prove,
}

impl Act {
    /// The field of a form that says which.
    pub const FIELD: &'static str = "do";

    /// Its word in a form.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::SetUp => "set_up",
            Self::Confirm => "confirm",
            Self::Renew => "renew",
            Self::Disable => "disable",
            Self::Prove => "prove",
        }
    }
}

impl std::str::FromStr for Act {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let all = [Self::SetUp, Self::Confirm, Self::Renew, Self::Disable, Self::Prove];
        all.into_iter().find(|act| act.as_str() == text).ok_or(())
    }
}

/// What an authenticator app is set up with, as a page shows it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetUp {
    /// The seed in base32.
    pub secret: String,
    /// `otpauth://…`.
    pub uri: String,
    /// The address of a picture that holds it: `data:…`.
    pub qr: String,
}

impl std::fmt::Debug for SetUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetUp").finish_non_exhaustive()
    }
}

/// What a form of the page has come to. Shown in the answer to its POST alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Done {
    /// A fresh seed waits for a code of it.
    SetUp(SetUp),
    /// It counts, or there are new codes: these.
    Codes(RecoveryCodes),
    /// It is taken away.
    Disabled,
    /// It is proved who asks.
    Proven,
    /// It was refused.
    Refused(Act, Box<Problem>),
}

/// What the page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Where it stands.
    pub mfa: Mfa,
    /// What the form came to that was just posted.
    pub done: Option<Done>,
}

/// One's own second factor. Changes are forms of its page, posted as they are.
#[async_trait]
pub trait SecondFactor: Send + Sync {
    /// Where it stands, with what was just done where this answers a form.
    async fn find_second_factor(&self) -> Answer<Shown>;
}
