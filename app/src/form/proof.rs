//! The form that proves one's identity again.

use types::identity::StepUp;

/// The form that proves one's identity again. Nothing of it is ever given back or printed.
pub(crate) struct ProofForm {
    /// The password, or nothing.
    pub(crate) password: String,
    /// A code of the second factor, or nothing.
    pub(crate) code: String,
}

impl ProofForm {
    /// The command: with the code, where both were filled in.
    pub(crate) fn read(self) -> StepUp {
        match self.code.trim() {
            "" => StepUp { password: Some(self.password), code: None },
            code => StepUp { password: None, code: Some(code.to_owned()) },
        }
    }
}
