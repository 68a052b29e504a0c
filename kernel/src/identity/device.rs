//! The mark of a browser in which somebody signed in before: their failures count apart, so strangers cannot lock them out.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Email, Identity};

const NONCE: usize = 16;
const SIGNATURE: usize = 32;

impl Identity {
    /// A fresh mark, good for this account only.
    pub(super) fn mark_device(&self, email: &Email) -> String {
        let mut nonce = [0; NONCE];
        self.ports.ids.random(&mut nonce);
        let signature = self.ports.sealer.sign("device", &[&nonce, email.key().as_bytes()]);
        URL_SAFE_NO_PAD.encode([&nonce[..], &signature[..]].concat())
    }

    /// Whether a mark was made here, for this account.
    pub(super) fn is_known_device(&self, email: &Email, mark: &str) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(mark) else {
            return false;
        };
        let Some((nonce, signature)) = bytes.split_at_checked(NONCE) else {
            return false;
        };
        let expected = self.ports.sealer.sign("device", &[nonce, email.key().as_bytes()]);
        // All bytes are compared, whatever the first ones are: the time tells a forger nothing.
        signature.len() == SIGNATURE && signature.iter().zip(expected).fold(0, |diff, (a, b)| diff | (a ^ b)) == 0
    }
}
