//! The master keys that seal secrets.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kernel::secret::SecretString;

use super::reader::Reader;
use super::setting::{Setting, settings};
use super::value::Value;

/// The key id of `SECRET_KEY` and of the generated key.
const DEFAULT_KEY_ID: &str = "default";
/// What people leave in when they copy an example.
const PLACEHOLDERS: [&str; 9] =
    ["changeme", "change-me", "change_me", "placeholder", "replace", "example", "insecure", "your-", "your_"];

settings! {
    /// The master keys that seal secrets.
    pub struct Secrets {
        /// The master key. Without it one is made once, in `secret.key` of `DATA_DIR`.
        pub key: Option<SecretString> = "SECRET_KEY" {
            absent: "made once into `DATA_DIR/secret.key`",
            production: "this or `SECRET_KEYS` set, 32 bytes or more, no placeholder"
        };
        /// Several master keys, `ID:BASE64` with commas: the first seals, all open.
        pub keys: Option<MasterKeys> = "SECRET_KEYS" { production: "see `SECRET_KEY`" };
    }
}

/// One master key.
#[derive(Clone, Debug)]
pub struct MasterKey {
    /// Stands beside what it sealed.
    pub id: String,
    /// Its bytes; a text is taken as UTF-8.
    pub bytes: SecretBytes,
}

impl MasterKey {
    /// The key a lone text stands for.
    pub fn of_text(text: &SecretString) -> Self {
        Self { id: DEFAULT_KEY_ID.to_owned(), bytes: SecretBytes(text.expose().as_bytes().to_vec()) }
    }
}

/// Bytes that `Debug` does not show.
#[derive(Clone)]
pub struct SecretBytes(pub Vec<u8>);

impl std::fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretBytes(…)")
    }
}

/// The value of `SECRET_KEYS`: at least one key.
#[derive(Clone, Debug)]
pub struct MasterKeys(Vec<MasterKey>);

impl Value for MasterKeys {
    const SECRET: bool = true;

    fn form(_: &Setting) -> String {
        "`ID:BASE64`, several with commas; ids of letters, digits, `-` and `_`, each once".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        let key = |text: &str| {
            let (id, encoded) = text.trim().split_once(':')?;
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            let named = (1..=40).contains(&id.len()) && id.bytes().all(plain);
            let bytes = STANDARD.decode(encoded).ok().filter(|bytes| !bytes.is_empty())?;
            named.then(|| MasterKey { id: id.to_owned(), bytes: SecretBytes(bytes) })
        };
        let keys: Vec<MasterKey> = text.split(',').map(key).collect::<Option<_>>()?;
        let twice = keys.iter().enumerate().any(|(index, key)| keys.iter().skip(index + 1).any(|k| k.id == key.id));
        (!twice).then_some(Self(keys))
    }

    fn show(&self) -> String {
        let ids: Vec<&str> = self.0.iter().map(|key| key.id.as_str()).collect();
        format!("set ({})", ids.join(", "))
    }
}

impl Secrets {
    /// The keys given, the sealing one first; empty when one must be made.
    pub fn master_keys(&self) -> Vec<MasterKey> {
        match (&self.keys, &self.key) {
            (Some(keys), _) => keys.0.clone(),
            (None, Some(text)) => vec![MasterKey::of_text(text)],
            (None, None) => Vec::new(),
        }
    }

    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        const REMEDY: &str = "make one with `openssl rand -base64 48`";
        if self.key.is_some() && self.keys.is_some() {
            reader.refuse("SECRET_KEY", "is set beside SECRET_KEYS", "move it into SECRET_KEYS as `default:BASE64`");
        }
        let keys = self.master_keys();
        let name = if self.keys.is_some() { "SECRET_KEYS" } else { "SECRET_KEY" };
        reader.refuse_in_production(keys.is_empty(), name, "is not set", REMEDY);
        let short = keys.iter().any(|key| key.bytes.0.len() < 32);
        reader.refuse_in_production(short, name, "has under 32 bytes", REMEDY);
        let placeholder = keys.iter().any(|key| is_placeholder(&key.bytes.0));
        reader.refuse_in_production(placeholder, name, "is a placeholder", REMEDY);
    }
}

fn is_placeholder(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let different: std::collections::BTreeSet<&u8> = bytes.iter().collect();
    different.len() < 8 || PLACEHOLDERS.iter().any(|placeholder| text.contains(placeholder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_known() {
        for text in
            ["please-changeme-please-changeme-please", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "your-secret"]
        {
            assert!(is_placeholder(text.as_bytes()), "{text}");
        }
        assert!(!is_placeholder(b"Zt8rP2mQ0wX5nC7vB1kL4jH6gF3dS9aY"));
    }

    #[test]
    fn key_lists_name_each_key_once() {
        let read = |text| MasterKeys::parse(text, &Setting::NEW).map(|keys| keys.show());
        assert_eq!(read("new:bmV3, old:b2xk").as_deref(), Some("set (new, old)"));
        for wrong in ["", "bmV3", "a:***", "a:", "a:bmV3,a:b2xk", "a b:bmV3"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
