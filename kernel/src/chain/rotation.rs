//! How one signing key follows another: a statement signed by both, so that who trusts the first may trust the second.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::checkpoint::Signature;
use super::form::time;
use super::{Hash, PublicKey};
use crate::digest::canonical;

/// Which form the statement follows.
const FORM: &str = "soit/key-rotation/1";

/// A key that took over from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The key before.
    pub from: PublicKey,
    /// The key since.
    pub to: PublicKey,
    /// When.
    pub rotated_at: DateTime<Utc>,
    /// The signature of [`Rotation::body`] by the key before.
    pub from_signature: Signature,
    /// And by the key since.
    pub to_signature: Signature,
}

/// The statement as it is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    form: String,
    from_key: String,
    from_signature: Signature,
    rotated_at: String,
    to_key: String,
    to_signature: Signature,
}

impl Rotation {
    /// What both keys sign: RFC 8785 JSON.
    pub fn body(from: &PublicKey, to: &PublicKey, rotated_at: DateTime<Utc>) -> Vec<u8> {
        canonical(&json!({
            "form": FORM,
            "from_key": from.to_string(),
            "rotated_at": time(rotated_at),
            "to_key": to.to_string(),
        }))
    }

    /// Whether both keys signed it.
    pub fn is_signed(&self) -> bool {
        let body = Self::body(&self.from, &self.to, self.rotated_at);
        self.from.verifies(&body, &self.from_signature) && self.to.verifies(&body, &self.to_signature)
    }

    /// The statement and both signatures, as RFC 8785 text.
    pub fn text(&self) -> String {
        let written = Written {
            form: FORM.to_owned(),
            from_key: self.from.to_string(),
            from_signature: self.from_signature,
            rotated_at: time(self.rotated_at),
            to_key: self.to.to_string(),
            to_signature: self.to_signature,
        };
        let value = serde_json::to_value(written).unwrap_or_default();
        String::from_utf8(canonical(&value)).unwrap_or_default()
    }

    /// Reads a statement; nothing where the text is not what [`Rotation::text`] writes, or not signed by both keys.
    pub fn read(text: &str) -> Option<Self> {
        let written: Written = serde_json::from_str(text).ok()?;
        let rotation = Self {
            from: written.from_key.parse().ok()?,
            to: written.to_key.parse().ok()?,
            rotated_at: written.rotated_at.parse().ok()?,
            from_signature: written.from_signature,
            to_signature: written.to_signature,
        };
        (written.form == FORM && rotation.text() == text && rotation.is_signed()).then_some(rotation)
    }

    /// The digest its entry in a chain holds.
    pub(super) fn digest(&self) -> Hash {
        Hash::of(&[self.text().as_bytes()])
    }
}

/// The keys of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRing {
    /// Every key there was, the present one first.
    pub keys: Vec<PublicKey>,
    /// How each followed the one before, oldest first.
    pub rotations: Vec<Rotation>,
}

impl KeyRing {
    /// The key that signs.
    pub fn present(&self) -> Option<&PublicKey> {
        self.keys.first()
    }
}

/// The names of the keys that follow from these, by rotations that both keys signed; oldest first.
pub fn followed(trusted: &[PublicKey], rotations: &[Rotation]) -> Vec<String> {
    let mut keys = trusted.to_vec();
    for rotation in rotations {
        if keys.contains(&rotation.from) && !keys.contains(&rotation.to) && rotation.is_signed() {
            keys.push(rotation.to);
        }
    }
    keys.iter().map(PublicKey::id).collect()
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    fn key(number: u8) -> (SigningKey, PublicKey) {
        let key = SigningKey::from_bytes(&[number; 32]);
        let public = PublicKey::new(key.verifying_key().to_bytes()).unwrap();
        (key, public)
    }

    fn rotation(from: u8, to: u8) -> Rotation {
        let ((from_key, from), (to_key, to)) = (key(from), key(to));
        let rotated_at = "2026-03-01T00:00:00Z".parse().unwrap();
        let body = Rotation::body(&from, &to, rotated_at);
        let sign = |key: &SigningKey| Signature(key.sign(&body).to_bytes());
        Rotation { from, to, rotated_at, from_signature: sign(&from_key), to_signature: sign(&to_key) }
    }

    #[test]
    fn a_rotation_is_read_as_it_was_written_and_not_if_it_was_changed() {
        let rotation = rotation(1, 2);
        let text = rotation.text();
        assert_eq!(Rotation::read(&text), Some(rotation.clone()));
        let place = text.find("2026-03").unwrap();
        for changed in [
            text.replace("2026-03", "2026-04"),
            text.replace("key-rotation/1", "key-rotation/2"),
            text.replacen(&rotation.to.to_string(), &key(3).1.to_string(), 1),
            text.replace(',', ", "),
            text[..place].to_owned(),
        ] {
            assert_eq!(Rotation::read(&changed), None, "{changed}");
        }
        let one_signed = Rotation { to_signature: rotation.from_signature, ..rotation };
        assert!(!one_signed.is_signed());
    }

    #[test]
    fn trust_follows_rotations_forwards_alone() {
        let rotations = [rotation(1, 2), rotation(2, 3)];
        let ids = |numbers: &[u8]| numbers.iter().map(|number| key(*number).1.id()).collect::<Vec<_>>();
        let from = |number| followed(&[key(number).1], &rotations);
        assert_eq!(from(1), ids(&[1, 2, 3]));
        assert_eq!(from(2), ids(&[2, 3]));
        assert_eq!(from(3), ids(&[3]));
        assert_eq!(from(9), ids(&[9]));
        let forged = Rotation { from_signature: rotation(9, 2).from_signature, ..rotation(1, 2) };
        assert_eq!(followed(&[key(1).1], &[forged]), ids(&[1]));
    }
}
