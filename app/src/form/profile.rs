//! The form of who one is.

use serde::{Deserialize, Serialize};
use types::identity::UpdateMe;
use types::problem::Problem;

use super::Reader;

/// The form of who one is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ProfileForm {
    /// One's name.
    pub(crate) name: String,
}

impl ProfileForm {
    /// The command, or what is wrong.
    pub(crate) fn read(&self) -> Result<UpdateMe, Problem> {
        let mut reader = Reader::default();
        let name = reader.required("name", &self.name);
        reader.finish(Some(UpdateMe { name }))
    }
}
