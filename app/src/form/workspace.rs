//! The form of a workspace's settings.

use serde::{Deserialize, Serialize};
use types::identity::{UnpricedPolicy, UpdateWorkspace};
use types::name::Name;
use types::problem::Problem;
use types::run::Capture;

use super::Reader;

/// The form of a workspace's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct WorkspaceForm {
    /// Its name.
    pub(crate) name: String,
    /// What happens to calls without a price.
    pub(crate) unpriced_call_policy: String,
    /// How much content is kept.
    pub(crate) content_capture: String,
}

impl WorkspaceForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<UpdateWorkspace, Problem> {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", &self.name);
        let unpriced: Option<UnpricedPolicy> = reader.required("unpriced_call_policy", &self.unpriced_call_policy);
        let capture: Option<Capture> = reader.required("content_capture", &self.content_capture);
        reader.finish(Some(UpdateWorkspace { name, unpriced_call_policy: unpriced, content_capture: capture }))
    }
}
