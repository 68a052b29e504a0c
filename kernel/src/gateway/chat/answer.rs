//! A whole chat completion on its way back.

use serde_json::{Map, Value};
use types::id::RunId;

use crate::gateway::answer::Said;

/// Mends a whole answer in place: `id`, `model` and `usage` are soit's to write. `None` when it is no completion.
pub(in crate::gateway) fn finish(body: &mut Value, run_id: RunId, asked: &str) -> Option<Said> {
    let mut said = Said::default();
    said.note(body);
    let fields = body.as_object_mut()?;
    for choice in fields.get("choices")?.as_array()? {
        let message = choice.get("message")?.as_object()?;
        said.text.push_str(&text_of(message));
        said.answered = true;
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            said.finish_reason.get_or_insert_with(|| reason.to_owned());
        }
    }
    // An answer without words is no sign of wrong usage.
    said.answered &= !said.text.is_empty();
    fields.insert("id".to_owned(), Value::String(format!("chatcmpl-{run_id}")));
    fields.entry("object").or_insert_with(|| Value::from("chat.completion"));
    fields.insert("model".to_owned(), Value::String(asked.to_owned()));
    fields.entry("usage").or_insert(Value::Null);
    Some(said)
}

/// The words of a message or delta that the model made: text, reasoning, refusal, tool calls.
pub(super) fn text_of(message: &Map<String, Value>) -> String {
    let mut text = String::new();
    for name in ["reasoning_content", "reasoning", "content", "refusal"] {
        match message.get(name) {
            Some(Value::String(words)) => text.push_str(words),
            Some(Value::Array(parts)) => {
                text.extend(parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)));
            }
            _ => {}
        }
    }
    for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let Some(body) = call.get("function").or_else(|| call.get("custom")) else { continue };
        for name in ["name", "arguments", "input"] {
            text.push_str(body.get(name).and_then(Value::as_str).unwrap_or_default());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::id::Uuid;

    #[test]
    fn only_id_model_and_usage_change() {
        let run_id = RunId::from_uuid(Uuid::from_u128(7));
        let mut body = json!({
            "id": "up-1", "object": "chat.completion", "created": 5, "model": "real",
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": "hi", "x": 1.50 }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 1 }, "vendor": { "deep": [true] },
        });
        let mut expected = body.clone();
        let said = finish(&mut body, run_id, "alias").unwrap();
        expected["id"] = json!(format!("chatcmpl-{run_id}"));
        expected["model"] = json!("alias");
        assert_eq!(body, expected);
        assert_eq!((said.text.as_str(), said.upstream_id.as_deref()), ("hi", Some("up-1")));
        assert_eq!(said.finish_reason.as_deref(), Some("stop"));
    }

    #[test]
    fn a_missing_usage_is_null_and_other_bodies_are_no_completion() {
        let run_id = RunId::from_uuid(Uuid::from_u128(7));
        let mut body = json!({ "choices": [{ "message": { "content": null, "tool_calls": [{ "function": { "name": "f", "arguments": "{}" } }] } }] });
        let said = finish(&mut body, run_id, "m").unwrap();
        assert_eq!((said.text.as_str(), said.answered, &body["usage"]), ("f{}", true, &Value::Null));
        for mut wrong in [json!({}), json!([]), json!({ "choices": {} }), json!({ "choices": [{}] })] {
            assert_eq!(finish(&mut wrong, run_id, "m"), None, "{wrong}");
        }
    }
}
