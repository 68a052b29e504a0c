//! The forms of a member's role and of an invitation.

use serde::{Deserialize, Serialize};
use types::identity::Role;
use types::member::{CreateInvitation, UpdateMember};
use types::problem::Problem;

use super::Reader;

/// The form of a member's role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct MemberForm {
    /// The role.
    pub(crate) role: String,
}

impl MemberForm {
    /// The command, or what is wrong.
    pub(crate) fn read(&self) -> Result<UpdateMember, Problem> {
        let mut reader = Reader::default();
        let role: Option<Role> = reader.required("role", &self.role);
        reader.finish(role.map(|role| UpdateMember { role }))
    }
}

/// The form of an invitation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct InvitationForm {
    /// The address it is for.
    pub(crate) email: String,
    /// The role it gives.
    pub(crate) role: String,
}

impl InvitationForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<CreateInvitation, Problem> {
        let mut reader = Reader::default();
        let role: Option<Role> = reader.required("role", &self.role);
        reader.finish(role.map(|role| CreateInvitation { email: self.email.trim().to_owned(), role }))
    }
}
