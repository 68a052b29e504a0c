//! The forms of service principals, groups and grants.

use chrono::{DateTime, Days, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use types::access::{
    CreateGrant, CreateGroup, CreateServicePrincipal, GrantAction, GrantSubject, ResourceType, UpdateGroup,
    UpdateServicePrincipal,
};
use types::id::UserId;
use types::identity::Role;
use types::problem::Problem;

use super::Reader;

/// The form of a service principal, new or changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PrincipalForm {
    /// Its name.
    pub(crate) name: String,
    /// Its role.
    pub(crate) role: String,
    /// Who answers for it; empty for oneself.
    pub(crate) owner: String,
}

impl PrincipalForm {
    /// The command for a new one, or every wrong field.
    pub(crate) fn create(&self) -> Result<CreateServicePrincipal, Problem> {
        let mut reader = Reader::default();
        let name = reader.required("name", &self.name);
        let role: Option<Role> = reader.required("role", &self.role);
        let owner_user_id = reader.optional("owner", &self.owner);
        reader.finish(name.zip(role).map(|(name, role)| CreateServicePrincipal { name, owner_user_id, role }))
    }

    /// The command for a change, or every wrong field.
    pub(crate) fn update(&self) -> Result<UpdateServicePrincipal, Problem> {
        let mut reader = Reader::default();
        let command = UpdateServicePrincipal {
            name: reader.required("name", &self.name),
            owner_user_id: reader.optional("owner", &self.owner),
            role: reader.required("role", &self.role),
            status: None,
        };
        reader.finish(Some(command))
    }
}

/// The form of a group, new or changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct GroupForm {
    /// Its name.
    pub(crate) name: String,
    /// Who is in it.
    pub(crate) members: Vec<String>,
}

impl GroupForm {
    /// The command for a new one, or every wrong field.
    pub(crate) fn create(&self) -> Result<CreateGroup, Problem> {
        let mut reader = Reader::default();
        let (name, members) = (reader.required("name", &self.name), self.members(&mut reader));
        reader.finish(name.map(|name| CreateGroup { name, members }))
    }

    /// The command for a change, or every wrong field.
    pub(crate) fn update(&self) -> Result<UpdateGroup, Problem> {
        let mut reader = Reader::default();
        let command =
            UpdateGroup { name: reader.required("name", &self.name), members: Some(self.members(&mut reader)) };
        reader.finish(Some(command))
    }

    fn members(&self, reader: &mut Reader) -> Vec<UserId> {
        self.members.iter().filter_map(|member| reader.required("members", member)).collect()
    }
}

/// The form of a grant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct GrantForm {
    /// To whom: an id.
    pub(crate) subject: String,
    /// On what: `model:mdl_…`.
    pub(crate) resource: String,
    /// What is allowed.
    pub(crate) action: String,
    /// The last day, in UTC; empty for no end.
    pub(crate) last_day: String,
}

impl GrantForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<CreateGrant, Problem> {
        let mut reader = Reader::default();
        let subject: Option<GrantSubject> = reader.required("subject", &self.subject);
        let action: Option<GrantAction> = reader.required("action", &self.action);
        let (kind, resource_id) = self.resource.split_once(':').unwrap_or_default();
        let kind: Option<ResourceType> = reader.required("resource", kind);
        let expires_at = self.end(&mut reader);
        let command = subject.zip(kind).zip(action).map(|((subject, resource_type), action)| CreateGrant {
            subject,
            resource_type,
            resource_id: resource_id.to_owned(),
            actions: vec![action],
            expires_at,
        });
        reader.finish(command)
    }

    /// The end of the last day.
    fn end(&self, reader: &mut Reader) -> Option<DateTime<Utc>> {
        let day: NaiveDate = reader.optional("last_day", &self.last_day)?;
        let next = day.checked_add_days(Days::new(1)).and_then(|day| day.and_hms_opt(0, 0, 0));
        if next.is_none() {
            reader.refuse("last_day", "must be a day like `2030-12-31`");
        }
        next.map(|next| next.and_utc())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = "usr_00000000000000000000000001";

    fn fields(problem: &Problem) -> Vec<&str> {
        problem.errors.iter().map(|error| error.field.as_str()).collect()
    }

    #[test]
    fn a_grant_ends_with_its_last_day() {
        let form = GrantForm {
            subject: USER.to_owned(),
            resource: "model:mdl_00000000000000000000000002".to_owned(),
            action: "execute".to_owned(),
            last_day: "2030-12-31".to_owned(),
        };
        let command = form.read().expect("a grant");
        assert_eq!(command.expires_at.map(|end| end.to_rfc3339()).as_deref(), Some("2031-01-01T00:00:00+00:00"));
        assert_eq!(command.resource_id, "mdl_00000000000000000000000002");
        let wrong = GrantForm { subject: "x".to_owned(), last_day: "soon".to_owned(), ..GrantForm::default() };
        let problem = wrong.read().expect_err("everything is wrong");
        assert_eq!(fields(&problem), ["subject", "action", "resource", "last_day"]);
    }

    #[test]
    fn a_principal_without_a_named_owner_is_ones_own() {
        let form = PrincipalForm { name: "CI".to_owned(), role: "dev".to_owned(), owner: String::new() };
        assert_eq!(form.create().expect("a principal").owner_user_id, None);
        let form = PrincipalForm { owner: USER.to_owned(), ..form };
        assert!(form.update().expect("a change").owner_user_id.is_some());
        assert_eq!(fields(&PrincipalForm::default().create().expect_err("nothing is there")), ["name", "role"]);
    }

    #[test]
    fn who_is_no_id_is_no_member() {
        let form = GroupForm { name: "Crew".to_owned(), members: vec![USER.to_owned(), "x".to_owned()] };
        assert_eq!(fields(&form.create().expect_err("x is nobody")), ["members"]);
    }
}
