//! The form that gives an account another address.

use serde::{Deserialize, Serialize};
use types::account::VerifyEmail;
use types::problem::Problem;

use super::Reader;

/// The form that gives an account another address.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EmailForm {
    /// The new address.
    pub(crate) email: String,
}

impl std::fmt::Debug for EmailForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmailForm").finish_non_exhaustive()
    }
}

impl EmailForm {
    /// The command, or what is wrong. Whether it is an address is for the server to say.
    pub(crate) fn read(&self) -> Result<VerifyEmail, Problem> {
        let mut reader = Reader::default();
        let email = Some(self.email.trim().to_owned()).filter(|email| !email.is_empty());
        if email.is_none() {
            reader.refuse("email", "must be an address");
        }
        reader.finish(Some(VerifyEmail { email }))
    }
}
