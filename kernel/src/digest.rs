//! The digest of what is asked for: SHA-256 of its canonical JSON (RFC 8785, numbers kept as written).

use std::io::Write;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The digest as hex. Equal calls have equal digests, whatever the order of their keys.
pub(crate) fn digest(call: &Value) -> String {
    digest_of(call).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest itself.
pub(crate) fn digest_of(call: &Value) -> [u8; 32] {
    let mut hasher = Hasher(Sha256::new());
    write(&mut hasher, call);
    hasher.0.finalize().into()
}

struct Hasher(Sha256);

impl Hasher {
    fn put(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn put_text(&mut self, text: &str) {
        // Writing into a hasher cannot fail.
        let _ = serde_json::to_writer(self, text);
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn write(hasher: &mut Hasher, value: &Value) {
    match value {
        Value::Null => hasher.put(b"null"),
        Value::Bool(flag) => hasher.put(if *flag { b"true" } else { b"false" }),
        Value::Number(number) => hasher.put(number.to_string().as_bytes()),
        Value::String(text) => hasher.put_text(text),
        Value::Array(items) => {
            hasher.put(b"[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    hasher.put(b",");
                }
                write(hasher, item);
            }
            hasher.put(b"]");
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            hasher.put(b"{");
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    hasher.put(b",");
                }
                hasher.put_text(key);
                hasher.put(b":");
                write(hasher, value);
            }
            hasher.put(b"}");
        }
    }
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
        assert_ne!(of(r#"{"a":9007199254740993}"#), of(r#"{"a":9007199254740992}"#));
        assert_eq!(of("{}"), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    }
}
