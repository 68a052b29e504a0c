//! The form of a new key.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use types::identity::Scope;
use types::key::CreateApiKey;
use types::problem::Problem;

use super::Reader;

/// The form of a new key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct KeyForm {
    /// Its name.
    pub(crate) name: String,
    /// The widest scope it holds.
    pub(crate) scope: String,
    /// Days until it expires; empty for the default.
    pub(crate) expires_in_days: String,
    /// Calls a minute; empty for no limit.
    pub(crate) rate_limit_per_minute: String,
    /// Calls a day; empty for no limit.
    pub(crate) daily_request_quota: String,
    /// Tokens a day; empty for no limit.
    pub(crate) daily_token_quota: String,
    /// Networks, one a line; empty for any.
    pub(crate) ip_allowlist: String,
    /// Models, one a line; empty for any.
    pub(crate) allowed_models: String,
    /// The service principal that is to act with it; empty for oneself.
    pub(crate) principal_id: String,
    /// How much its runs keep at most; empty for as much as the workspace.
    pub(crate) content_capture: String,
    /// Labels like `team=search`, one a line; empty for none.
    pub(crate) labels: String,
}

impl KeyForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<CreateApiKey, Problem> {
        let mut reader = Reader::default();
        let name = reader.required("name", &self.name);
        let scope: Option<Scope> = reader.required("scope", &self.scope);
        let expires_in_days = reader.number("expires_in_days", &self.expires_in_days);
        let rate_limit_per_minute = reader.number("rate_limit_per_minute", &self.rate_limit_per_minute);
        let daily_request_quota = reader.number("daily_request_quota", &self.daily_request_quota);
        let daily_token_quota = reader.number("daily_token_quota", &self.daily_token_quota);
        let principal_id = reader.optional("principal_id", &self.principal_id);
        let content_capture = reader.optional("content_capture", &self.content_capture);
        let labels = labels(&mut reader, &self.labels);
        let command = name.zip(scope).map(|(name, scope)| CreateApiKey {
            name,
            scopes: vec![scope],
            expires_in_days,
            rate_limit_per_minute,
            daily_request_quota,
            daily_token_quota,
            ip_allowlist: Reader::list(&self.ip_allowlist),
            allowed_models: Reader::list(&self.allowed_models),
            allowed_tools: None,
            principal_id,
            content_capture,
            labels,
        });
        reader.finish(command)
    }
}

/// Labels, one a line or between commas; none when there are none.
fn labels(reader: &mut Reader, text: &str) -> Option<BTreeMap<String, String>> {
    let pairs = Reader::list(text)?;
    let mut labels = BTreeMap::new();
    for pair in &pairs {
        match pair.split_once('=') {
            Some((key, value)) => drop(labels.insert(key.to_owned(), value.to_owned())),
            None => reader.refuse("labels", "must be pairs like `team=search`, one a line"),
        }
    }
    Some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_limit_is_no_limit() {
        let form = KeyForm { name: "ci".to_owned(), scope: "write".to_owned(), ..KeyForm::default() };
        let command = form.read().expect("a key");
        assert_eq!(command.scopes, [Scope::Write]);
        assert_eq!((command.allowed_models, command.ip_allowlist, command.daily_token_quota), (None, None, None));
    }

    #[test]
    fn labels_are_pairs() {
        let form = |labels: &str| KeyForm {
            name: "ci".to_owned(),
            scope: "write".to_owned(),
            labels: labels.to_owned(),
            ..KeyForm::default()
        };
        let command = form("team=search\nenv=prod").read().expect("a key");
        let labels: Vec<(String, String)> = command.labels.expect("labels").into_iter().collect();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(labels, [pair("env", "prod"), pair("team", "search")]);
        let problem = form("team").read().expect_err("no pair");
        assert_eq!(problem.errors.first().map(|error| error.field.as_str()), Some("labels"));
    }

    #[test]
    fn a_wrong_scope_is_named() {
        let form = KeyForm { name: "ci".to_owned(), scope: "root".to_owned(), ..KeyForm::default() };
        assert_eq!(
            form.read().expect_err("no such scope").errors.first().map(|error| error.field.clone()),
            Some("scope".to_owned())
        );
    }
}
