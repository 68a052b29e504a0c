//! The forms of a tenant's pages, and of those of who runs the instance. Which of them it is says `act`.

use serde::{Deserialize, Serialize};
use types::identity::TenantRole;
use types::name::{Name, Slug};
use types::problem::{Code, Problem};
use types::run::Capture;
use types::tenant::{AddTenantMember, CreateTenant, UpdateCeilings};

use super::Reader;
use crate::backend::tenants::{OperatorCommand, TenantCommand};

/// What such a form was filled in with. Each has some of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TenantForm {
    /// A name.
    pub(crate) name: String,
    /// A short name.
    pub(crate) slug: String,
    /// The address of who is to own it.
    pub(crate) owner_email: String,
    /// The address of who is to belong.
    pub(crate) email: String,
    /// Their role.
    pub(crate) role: String,
    /// How much content is kept.
    pub(crate) content_capture: String,
}

/// What it is about, as its page sends it unseen.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// What to do.
    pub(crate) act: String,
    /// To which thing.
    pub(crate) id: String,
    /// The version that was seen.
    pub(crate) version: u64,
    /// The role to give.
    pub(crate) role: String,
}

impl TenantForm {
    /// The command to a tenant, or every wrong field.
    pub(crate) fn manage(&self, about: &About) -> Result<TenantCommand, Problem> {
        let mut reader = Reader::default();
        let command = match about.act.as_str() {
            "create_workspace" => {
                let name: Option<Name> = reader.required("name", &self.name);
                let slug: Option<Slug> = reader.required("slug", &self.slug);
                name.zip(slug).map(|(name, slug)| TenantCommand::CreateWorkspace(name, slug))
            }
            "join" => reader.required("id", &about.id).map(TenantCommand::Join),
            "remove" => reader.required("id", &about.id).map(TenantCommand::Remove),
            "set_role" => {
                let role: Option<TenantRole> = reader.required("role", &about.role);
                let id = reader.required("id", &about.id);
                id.zip(role).map(|(id, role)| TenantCommand::SetRole(id, about.version, role))
            }
            "add_member" => {
                let role: Option<TenantRole> = reader.required("role", &self.role);
                let email = Some(self.email.trim().to_owned());
                role.map(|role| TenantCommand::AddMember(AddTenantMember { user_id: None, email, role }))
            }
            "rename" => {
                let name: Option<Name> = reader.required("name", &self.name);
                name.map(|name| TenantCommand::Rename(about.version, name))
            }
            "delete" => Some(TenantCommand::Delete),
            "set_ceilings" => {
                let content_capture: Option<Capture> = reader.required("content_capture", &self.content_capture);
                Some(TenantCommand::SetCeilings(about.version, UpdateCeilings { content_capture }))
            }
            _ => return Err(unknown()),
        };
        reader.finish(command)
    }

    /// The command to the instance, or every wrong field.
    pub(crate) fn operate(&self, about: &About) -> Result<OperatorCommand, Problem> {
        let mut reader = Reader::default();
        let command = match about.act.as_str() {
            "create_tenant" => {
                let name: Option<Name> = reader.required("name", &self.name);
                let slug: Option<Slug> = reader.required("slug", &self.slug);
                let owner_email = self.owner_email.trim().to_owned();
                let named = name.zip(slug);
                named.map(|(name, slug)| OperatorCommand::CreateTenant(CreateTenant { name, slug, owner_email }))
            }
            act @ ("suspend" | "activate") => {
                let id = reader.required("id", &about.id);
                id.map(|id| OperatorCommand::SetTenant(id, act == "activate"))
            }
            act @ ("disable" | "enable") => {
                let id = reader.required("id", &about.id);
                id.map(|id| OperatorCommand::SetUser(id, act == "enable"))
            }
            _ => return Err(unknown()),
        };
        reader.finish(command)
    }
}

fn unknown() -> Problem {
    Problem::new(Code::Invalid, "the form asks for nothing this page does; load it anew")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(act: &str) -> About {
        About { act: act.to_owned(), ..About::default() }
    }

    #[test]
    fn every_wrong_field_is_named_and_an_unknown_act_is_refused() {
        let form = TenantForm { name: "a\u{202E}b".to_owned(), slug: "Acme!".to_owned(), ..TenantForm::default() };
        let problem = form.manage(&about("create_workspace")).expect_err("both are wrong");
        let fields: Vec<&str> = problem.errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["name", "slug"]);
        assert!(form.operate(&about("create_workspace")).is_err() && form.manage(&about("suspend")).is_err());
        let form = TenantForm { name: "Acme".to_owned(), slug: "acme".to_owned(), ..TenantForm::default() };
        assert!(matches!(form.manage(&about("create_workspace")), Ok(TenantCommand::CreateWorkspace(..))));
        assert!(form.manage(&about("join")).is_err(), "whom?");
    }
}
