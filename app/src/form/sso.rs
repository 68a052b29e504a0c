//! The form of a connection to an identity provider, new or changed.

use serde::{Deserialize, Serialize};
use types::identity::Role;
use types::name::Name;
use types::problem::Problem;
use types::sso::{CreateOidcConnection, OidcConnection, SsoMapping, UpdateOidcConnection};

use super::Reader;

/// The form of a connection. Its secret is an argument of its own, so that it is never given back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SsoForm {
    /// What its button says.
    pub(crate) label: String,
    /// Who the provider is.
    pub(crate) issuer: String,
    /// How the provider calls soit.
    pub(crate) client_id: String,
    /// Words.
    pub(crate) scopes: String,
    /// `on`, or nothing.
    pub(crate) jit: String,
    /// The role of who comes first.
    pub(crate) jit_role: String,
    /// Words.
    pub(crate) allowed_domains: String,
    /// The claim that names groups; empty for none.
    pub(crate) group_claim: String,
    /// Lines: `group = role` or `group = grp_…`.
    pub(crate) mappings: String,
    /// `on`, or nothing.
    pub(crate) enforced: String,
}

impl SsoForm {
    /// What the form shows of a connection.
    pub(crate) fn of(connection: &OidcConnection) -> Self {
        let on = |is_on: bool| if is_on { "on".to_owned() } else { String::new() };
        let line = |mapping: &SsoMapping| {
            let gives = mapping.role.map(|role| role.to_string()).or(mapping.group_id.map(|id| id.to_string()));
            let place = mapping.workspace_id.filter(|id| mapping.role.is_some() && *id != connection.workspace_id);
            let place = place.map(|id| format!(" {id}")).unwrap_or_default();
            format!("{} = {}{place}", mapping.group, gives.unwrap_or_default())
        };
        Self {
            label: connection.label.to_string(),
            issuer: connection.issuer.clone(),
            client_id: connection.client_id.clone(),
            scopes: connection.scopes.join(" "),
            jit: on(connection.jit),
            jit_role: connection.jit_role.to_string(),
            allowed_domains: connection.allowed_domains.join(" "),
            group_claim: connection.group_claim.clone().unwrap_or_default(),
            mappings: connection.mappings.iter().map(line).collect::<Vec<_>>().join("\n"),
            enforced: on(connection.enforced),
        }
    }

    /// The command for a new one, or every wrong field.
    pub(crate) fn create(&self, secret: &str) -> Result<CreateOidcConnection, Problem> {
        let mut reader = Reader::default();
        let label: Option<Name> = reader.required("label", &self.label);
        let (jit_role, mappings) = (self.role(&mut reader), self.mappings(&mut reader));
        let command = label.map(|label| CreateOidcConnection {
            label,
            issuer: self.issuer.trim().to_owned(),
            client_id: self.client_id.trim().to_owned(),
            client_secret: given(secret),
            scopes: Reader::list(&self.scopes),
            allowed_domains: Reader::list(&self.allowed_domains).unwrap_or_default(),
            group_claim: given(&self.group_claim),
            mappings,
            jit: !self.jit.is_empty(),
            jit_role,
            workspace_id: None,
            enforced: !self.enforced.is_empty(),
        });
        reader.finish(command)
    }

    /// The command for a change, or every wrong field. An empty secret keeps the present one.
    pub(crate) fn update(&self, secret: &str) -> Result<UpdateOidcConnection, Problem> {
        let mut reader = Reader::default();
        let label: Option<Name> = reader.required("label", &self.label);
        let (jit_role, mappings) = (self.role(&mut reader), self.mappings(&mut reader));
        let command = UpdateOidcConnection {
            label,
            issuer: Some(self.issuer.trim().to_owned()),
            client_id: Some(self.client_id.trim().to_owned()),
            client_secret: given(secret).map(Some),
            scopes: Some(Reader::list(&self.scopes).unwrap_or_default()),
            allowed_domains: Some(Reader::list(&self.allowed_domains).unwrap_or_default()),
            group_claim: Some(given(&self.group_claim)),
            mappings: Some(mappings),
            jit: Some(!self.jit.is_empty()),
            jit_role,
            workspace_id: None,
            enforced: Some(!self.enforced.is_empty()),
        };
        reader.finish(Some(command))
    }

    fn role(&self, reader: &mut Reader) -> Option<Role> {
        reader.optional("jit_role", &self.jit_role)
    }

    fn mappings(&self, reader: &mut Reader) -> Vec<SsoMapping> {
        let lines = self.mappings.lines().filter(|line| !line.trim().is_empty());
        let read: Vec<Option<SsoMapping>> = lines.map(mapping).collect();
        if read.contains(&None) {
            reader.refuse("mappings", crate::text::text().sso.mappings_wrong);
        }
        read.into_iter().flatten().collect()
    }
}

/// `group = role`, `group = role wsp_…` or `group = grp_…`; the group may hold anything else.
fn mapping(line: &str) -> Option<SsoMapping> {
    let (group, gives) = line.rsplit_once('=')?;
    let mut words = gives.split_whitespace();
    let (first, place) = (words.next()?, words.next());
    let mapping = SsoMapping {
        group: group.trim().to_owned(),
        role: first.to_ascii_lowercase().parse().ok(),
        workspace_id: place.map(str::parse).transpose().ok()?,
        group_id: first.parse().ok(),
    };
    let is_one = mapping.role.is_some() != mapping.group_id.is_some();
    (is_one && words.next().is_none() && !mapping.group.is_empty()).then_some(mapping)
}

fn given(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::mapping;

    #[test]
    fn a_line_says_what_a_group_gives() {
        let group = "grp_01jz8k0000000000000000000a";
        let dev = mapping(" cn=devs,dc=x = Dev ").expect("a mapping");
        assert_eq!(
            (dev.group.as_str(), dev.role.map(|role| role.to_string()).as_deref()),
            ("cn=devs,dc=x", Some("dev"))
        );
        let place = mapping("a = admin wsp_01jz8k0000000000000000000a").expect("a mapping");
        assert!(place.workspace_id.is_some() && place.role.is_some());
        let joins = mapping(&format!("a={group}")).expect("a mapping");
        assert_eq!(joins.group_id.map(|id| id.to_string()).as_deref(), Some(group));
        for wrong in ["devs", "devs =", "= dev", "devs = root", "devs = dev dev", "devs = dev wsp_1"] {
            assert_eq!(mapping(wrong), None, "{wrong}");
        }
    }
}
