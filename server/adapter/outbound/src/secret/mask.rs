//! Takes a secret back out of what the other side says: some echo the credential they were given.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use kernel::secret::SecretString;
use types::id::SecretId;
use zeroize::Zeroizing;

/// Shorter values would hide ordinary words.
const SHORTEST: usize = 8;
/// Longest text of a provider that is passed on, in characters.
const MAX_MESSAGE: usize = 500;

/// Knows every form a secret could come back in.
#[derive(Default)]
pub(crate) struct Mask {
    forms: Vec<Zeroizing<String>>,
    instead: String,
}

impl Mask {
    /// Hides one secret behind its id.
    pub(crate) fn of(id: SecretId, value: &SecretString) -> Self {
        let value = value.expose();
        if value.len() < SHORTEST {
            return Self::default();
        }
        let in_json = serde_json::Value::from(value).to_string();
        let in_json = in_json.trim_matches('"').to_owned();
        let in_url: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
        let mut forms = vec![value.to_owned(), in_json, in_url, STANDARD_NO_PAD.encode(value)];
        forms.dedup();
        Self { forms: forms.into_iter().map(Zeroizing::new).collect(), instead: format!("[secret:{id}]") }
    }

    /// The text without the secret.
    pub(crate) fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut hidden = Cow::Borrowed(text);
        for form in &self.forms {
            if hidden.contains(form.as_str()) {
                hidden = Cow::Owned(hidden.replace(form.as_str(), &self.instead));
            }
        }
        hidden
    }

    /// A provider's own words, fit to be passed on: short, without this secret and without what looks like one.
    pub(crate) fn message(&self, text: &str) -> String {
        let hidden = self.hide(text.trim());
        let mut words: Vec<Cow<'_, str>> = hidden.split(' ').map(Cow::Borrowed).collect();
        let mut after_bearer = false;
        for word in &mut words {
            let bare = word.trim_matches(|character: char| !character.is_ascii_alphanumeric());
            let is_key = bare.len() >= SHORTEST
                && ["sk-", "sk_", "gsk_", "xai-", "AIza"].iter().any(|start| bare.starts_with(start));
            let is_token = after_bearer && bare.len() >= SHORTEST && bare.bytes().any(|byte| byte.is_ascii_digit());
            after_bearer = bare.eq_ignore_ascii_case("bearer");
            if (is_key || is_token) && !word.starts_with("[secret:") {
                *word = Cow::Borrowed("[secret]");
            }
        }
        words.join(" ").chars().filter(|character| !character.is_control()).take(MAX_MESSAGE).collect()
    }
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mask").field("instead", &self.instead).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use types::id::Uuid;

    use super::*;

    #[test]
    fn every_form_of_a_secret_is_hidden() {
        let id = SecretId::from_uuid(Uuid::from_u128(7));
        let mask = Mask::of(id, &SecretString::new("p\"ss word+1".to_owned()));
        for echo in ["key p\"ss word+1.", r#"{"key":"p\"ss word+1"}"#, "?key=p%22ss+word%2B1", "cCJzcyB3b3JkKzE="] {
            let hidden = mask.hide(echo);
            assert!(hidden.contains(&format!("[secret:{id}]")), "{hidden}");
        }
        assert_eq!(mask.hide("nothing here"), "nothing here");
    }

    #[test]
    fn messages_are_short_and_hold_no_keys() {
        let mask = Mask::default();
        assert_eq!(
            mask.message(" Incorrect key: sk-abcdefgh1234. Sent: Bearer abcdefgh1jkl "),
            "Incorrect key: [secret] Sent: Bearer [secret]"
        );
        assert_eq!(mask.message("a bearer credential is missing"), "a bearer credential is missing");
        assert_eq!(mask.message(&"ü".repeat(2000)).chars().count(), 500);
    }

    #[test]
    fn short_values_hide_nothing() {
        let mask = Mask::of(SecretId::from_uuid(Uuid::nil()), &SecretString::new("key".to_owned()));
        assert_eq!(mask.hide("the key is wrong"), "the key is wrong");
    }
}
