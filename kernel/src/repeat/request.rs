//! What a request asks for, as one digest: two requests under one key must not differ in it.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::digest::digest_of;
use crate::ledger::Fingerprint;

/// What a request asks for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Its method.
    pub method: &'a str,
    /// The template of its route, like `/api/v1/api-keys/{id}/rotate`.
    pub route: &'a str,
    /// Its path.
    pub path: &'a str,
    /// Its query, without the question mark.
    pub query: &'a str,
    /// Headers that change what is meant: name in lower case, and value.
    pub headers: &'a [(&'a str, &'a str)],
    /// Its body; JSON counts by what it says, anything else byte by byte.
    pub body: &'a [u8],
}

impl Asked<'_> {
    /// Its digest.
    pub fn fingerprint(&self) -> Fingerprint {
        let body = match serde_json::from_slice::<Value>(self.body) {
            Ok(value) => json!({ "json": value }),
            Err(_) => json!({ "sha256": Sha256::digest(self.body).as_slice() }),
        };
        digest_of(&json!({
            "method": self.method,
            "route": self.route,
            "path": self.path,
            "query": self.query,
            "headers": self.headers,
            "body": body,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_wish_has_the_same_digest_and_any_other_another() {
        let asked = Asked {
            method: "POST",
            route: "/api/v1/api-keys/{id}/rotate",
            path: "/api/v1/api-keys/key_1/rotate",
            query: "",
            headers: &[],
            body: br#"{"a":1,"b":"x"}"#,
        };
        let same = Asked { body: br#"{ "b": "x", "a": 1 }"#, ..asked };
        assert_eq!(asked.fingerprint(), same.fingerprint());
        for other in [
            Asked { method: "PUT", ..asked },
            Asked { path: "/api/v1/api-keys/key_2/rotate", ..asked },
            Asked { query: "a=1", ..asked },
            Asked { headers: &[("anthropic-version", "2023-06-01")], ..asked },
            Asked { body: br#"{"a":1.0,"b":"x"}"#, ..asked },
            Asked { body: b"", ..asked },
            Asked { body: b"no json", ..asked },
        ] {
            assert_ne!(asked.fingerprint(), other.fingerprint(), "{other:?}");
        }
    }
}
