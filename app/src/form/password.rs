//! The form that changes one's password.

use types::identity::ChangePassword;
use types::problem::Problem;

use super::Reader;

/// The form that changes one's password. Nothing of it is ever given back or printed.
pub(crate) struct PasswordForm {
    /// The present one.
    pub(crate) current_password: String,
    /// The new one.
    pub(crate) new_password: String,
    /// The new one again.
    pub(crate) repeated: String,
}

impl PasswordForm {
    /// The command, or every wrong field.
    pub(crate) fn read(self) -> Result<ChangePassword, Problem> {
        let mut reader = Reader::default();
        if self.current_password.is_empty() {
            reader.refuse("current_password", "must be the present password");
        }
        if self.new_password != self.repeated {
            reader.refuse("repeated", "must be the same as the new password");
        }
        reader.finish(Some(ChangePassword { current_password: self.current_password, new_password: self.new_password }))
    }
}
