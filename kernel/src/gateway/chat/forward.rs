//! The body as it goes out: what soit governs is written, the rest stays as it came.

use serde_json::{Map, Value, json};
use types::run::Capture;

/// What soit writes into an outgoing body.
pub(in crate::gateway) struct Written<'a> {
    /// The provider's own name of the model.
    pub(in crate::gateway) upstream_model: &'a str,
    /// The cap that has to bind the provider.
    pub(in crate::gateway) cap: Option<u64>,
    /// How much content is kept.
    pub(in crate::gateway) capture: Capture,
}

/// Writes an outgoing body over the caller's, keeping the order of its keys; returns what was left out.
pub(in crate::gateway) fn forward(body: &mut Map<String, Value>, written: &Written<'_>) -> Vec<&'static str> {
    body.insert("model".to_owned(), Value::String(written.upstream_model.to_owned()));
    if body.get("stream") == Some(&Value::Bool(true)) {
        ask_for_usage(body);
    }
    write_cap(body, written);
    if written.capture == Capture::MetadataOnly && body.contains_key("store") {
        body.insert("store".to_owned(), Value::Bool(false));
    }
    without_caller(body)
}

/// Usage is always asked for: without it the cost is an estimate.
fn ask_for_usage(body: &mut Map<String, Value>) {
    match body.get_mut("stream_options") {
        Some(Value::Object(options)) => {
            options.insert("include_usage".to_owned(), Value::Bool(true));
        }
        _ => {
            body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
        }
    }
}

/// One cap, under the caller's name for it where there is one.
fn write_cap(body: &mut Map<String, Value>, written: &Written<'_>) {
    let newer = body.get("max_completion_tokens").is_some_and(|cap| !cap.is_null());
    if newer {
        body.shift_remove("max_tokens");
    }
    let Some(cap) = written.cap else { return };
    let older = body.get("max_tokens").is_some_and(|cap| !cap.is_null());
    let name = match (newer, older) {
        (true, _) => "max_completion_tokens",
        (false, true) => "max_tokens",
        (false, false) if takes_newer_name(written.upstream_model) => "max_completion_tokens",
        (false, false) => "max_tokens",
    };
    let present = body.get(name).and_then(Value::as_u64);
    if present.is_none_or(|present| present > cap) {
        body.insert(name.to_owned(), Value::from(cap));
    }
}

/// Reasoning models refuse the older name; servers that only copy the wire know no other.
fn takes_newer_name(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or_default();
    ["o1", "o3", "o4", "gpt-5"].iter().any(|start| name.starts_with(start))
}

/// Who calls is soit's business: providers are not told.
fn without_caller(body: &mut Map<String, Value>) -> Vec<&'static str> {
    let mut dropped = Vec::new();
    for name in ["user", "safety_identifier"] {
        if body.shift_remove(name).is_some() {
            dropped.push(name);
        }
    }
    if let Some(Value::Object(metadata)) = body.get_mut("metadata")
        && metadata.shift_remove("user_id").is_some()
    {
        dropped.push("metadata.user_id");
    }
    dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(body: &str, model: &str, cap: Option<u64>, capture: Capture) -> String {
        let mut map = serde_json::from_str(body).unwrap();
        forward(&mut map, &Written { upstream_model: model, cap, capture });
        serde_json::to_string(&map).unwrap()
    }

    #[test]
    fn what_soit_does_not_govern_stays_byte_for_byte() {
        let body = r#"{"x":{"deep":[1.0,12345678901234567890123]},"model":"alias","messages":[{"role":"user","content":"hi","cache":{"a":1}}],"seed":7}"#;
        assert_eq!(sent(body, "gpt", None, Capture::Full), body.replace("alias", "gpt"));
    }

    #[test]
    fn usage_caps_and_callers_are_governed() {
        for (body, model, cap, expected) in [
            (r#"{"stream":true}"#, "m", None, r#"{"stream":true,"model":"m","stream_options":{"include_usage":true}}"#),
            (
                r#"{"stream":true,"stream_options":{"include_usage":false,"x":1}}"#,
                "m",
                None,
                r#"{"stream":true,"stream_options":{"include_usage":true,"x":1},"model":"m"}"#,
            ),
            (
                r#"{"max_tokens":5,"max_completion_tokens":7}"#,
                "m",
                Some(7),
                r#"{"max_completion_tokens":7,"model":"m"}"#,
            ),
            (r#"{"max_tokens":5}"#, "m", Some(5), r#"{"max_tokens":5,"model":"m"}"#),
            ("{}", "m", Some(9), r#"{"model":"m","max_tokens":9}"#),
            ("{}", "o3-mini", Some(9), r#"{"model":"o3-mini","max_completion_tokens":9}"#),
            (
                r#"{"user":"a","metadata":{"user_id":"b","k":"v"},"safety_identifier":"c"}"#,
                "m",
                None,
                r#"{"metadata":{"k":"v"},"model":"m"}"#,
            ),
        ] {
            assert_eq!(sent(body, model, cap, Capture::Full), expected);
        }
        assert_eq!(sent(r#"{"store":true}"#, "m", None, Capture::MetadataOnly), r#"{"store":false,"model":"m"}"#);
        assert_eq!(sent(r#"{"store":true}"#, "m", None, Capture::Full), r#"{"store":true,"model":"m"}"#);
    }
}
