//! Canonical JSON (RFC 8785, numbers kept as written) and its SHA-256: the digest of what is asked for.

use std::io::Write;

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// The digest as hex. Equal calls have equal digests, whatever the order of their keys.
pub(crate) fn digest(call: &Value) -> String {
    digest_of(call).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest itself.
pub(crate) fn digest_of(call: &Value) -> [u8; 32] {
    Sha256::digest(canonical(call)).into()
}

/// The canonical JSON itself.
pub(crate) fn canonical(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, value);
    bytes
}

fn write(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => put(out, b"null"),
        Value::Bool(flag) => put(out, if *flag { b"true" } else { b"false" }),
        Value::Number(number) => put_number(out, number),
        Value::String(text) => put_text(out, text),
        Value::Array(items) => {
            put(out, b"[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    put(out, b",");
                }
                write(out, item);
            }
            put(out, b"]");
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            if fields.keys().all(|key| key.is_ascii()) {
                sorted.sort_by_key(|(key, _)| *key);
            } else {
                sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            }
            put(out, b"{");
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    put(out, b",");
                }
                put_text(out, key);
                put(out, b":");
                write(out, value);
            }
            put(out, b"}");
        }
    }
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(bytes);
}

fn put_number(out: &mut Vec<u8>, number: &Number) {
    // Writing into memory cannot fail.
    let _ = write!(out, "{number}");
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    let _ = serde_json::to_writer(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        digest(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn key_order_does_not_matter_and_every_digit_does() {
        assert_eq!(of(r#"{"a":1,"b":[{"x":"y","w":null}]}"#), of(r#"{ "b": [{"w":null,"x":"y"}], "a": 1 }"#));
        // By UTF-16: the surrogates of U+1F600 come before U+FB01.
        assert_eq!(canonical(&serde_json::json!({ "ﬁ": 1, "😀": 2, "b": 3 })), r#"{"b":3,"😀":2,"ﬁ":1}"#.as_bytes());
        assert_ne!(of(r#"{"a":9007199254740993}"#), of(r#"{"a":9007199254740992}"#));
        assert_eq!(of("{}"), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    }
}
