//! The form of a provider account, new or changed.

use serde::{Deserialize, Serialize};
use types::modelhub::{CreateProvider, ProviderKind, UpdateProvider};
use types::name::{Name, Slug};
use types::problem::Problem;

use super::Reader;

/// The form of a provider account. Its credential is a separate argument, so that it cannot be given back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ProviderForm {
    /// Its name.
    pub(crate) name: String,
    /// The middle of its models' refs. Fixed once made.
    pub(crate) slug: String,
    /// Where, ending in the version segment.
    pub(crate) base_url: String,
    /// Calls at once; empty for the default.
    pub(crate) max_concurrency: String,
    /// Own retries; empty for the default.
    pub(crate) max_retries: String,
    /// Milliseconds a call may take; empty for the deployment's.
    pub(crate) timeout_ms: String,
}

impl ProviderForm {
    /// The command for a new one, or every wrong field.
    pub(crate) fn create(&self, credential: &str) -> Result<CreateProvider, Problem> {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", &self.name);
        let slug: Option<Slug> = reader.required("slug", &self.slug);
        let base_url = self.base_url(&mut reader);
        let max_concurrency = reader.number("max_concurrency", &self.max_concurrency);
        let max_retries = reader.number("max_retries", &self.max_retries);
        let timeout_ms = reader.number("timeout_ms", &self.timeout_ms);
        let command = name.zip(slug).zip(base_url).map(|((name, slug), base_url)| CreateProvider {
            name,
            slug,
            kind: ProviderKind::OpenaiCompatible,
            base_url,
            credential: given(credential),
            max_concurrency,
            max_retries,
            timeout_ms,
        });
        reader.finish(command)
    }

    /// The command for a change, or every wrong field. An empty credential keeps the present one.
    pub(crate) fn update(&self, credential: &str) -> Result<UpdateProvider, Problem> {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", &self.name);
        let base_url = self.base_url(&mut reader);
        let max_concurrency = reader.number("max_concurrency", &self.max_concurrency);
        let max_retries = reader.number("max_retries", &self.max_retries);
        let timeout_ms = reader.number("timeout_ms", &self.timeout_ms);
        let command = name.zip(base_url).map(|(name, base_url)| UpdateProvider {
            name: Some(name),
            base_url: Some(base_url),
            credential: given(credential).map(Some),
            status: None,
            max_concurrency,
            max_retries,
            timeout_ms,
        });
        reader.finish(command)
    }

    fn base_url(&self, reader: &mut Reader) -> Option<String> {
        let text = self.base_url.trim().trim_end_matches('/');
        let is_http =
            ["https://", "http://"].iter().any(|scheme| text.strip_prefix(scheme).is_some_and(|host| !host.is_empty()));
        if !is_http {
            reader.refuse("base_url", "must be an address like `https://api.example.com/v1`");
        }
        is_http.then(|| text.to_owned())
    }
}

fn given(credential: &str) -> Option<String> {
    let text = credential.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_url_loses_its_last_slash_and_the_credential_its_spaces() {
        let form = ProviderForm {
            name: "Local".to_owned(),
            slug: "local".to_owned(),
            base_url: "http://127.0.0.1:8000/v1/".to_owned(),
            ..ProviderForm::default()
        };
        let command = form.create(" sk-1 ").expect("an account");
        assert_eq!(command.base_url, "http://127.0.0.1:8000/v1");
        assert_eq!(command.credential.as_deref(), Some("sk-1"));
        assert_eq!(form.update("").expect("a change").credential, None);
    }
}
