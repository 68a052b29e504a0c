//! What a replayed call asks for instead of what was asked for then.

use serde_json::{Map, Value, json};

use crate::gateway::Operation;
use crate::replay::Change;
use crate::{Error, Result};

/// Parameters of a chat that may be given anew.
const OF_CHAT: [&str; 20] = [
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "n",
    "reasoning_effort",
    "verbosity",
    "response_format",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "stream_options",
];
/// The same of embeddings.
const OF_EMBEDDINGS: [&str; 2] = ["dimensions", "encoding_format"];

/// Writes the change into a body. What the values may be is checked with the body itself.
pub(super) fn apply(change: &Change, operation: Operation, body: &mut Map<String, Value>) -> Result<()> {
    let known: &[&str] = match operation {
        Operation::Chat => &OF_CHAT,
        Operation::Embeddings => &OF_EMBEDDINGS,
    };
    for (name, value) in &change.params {
        if !known.contains(&name.as_str()) {
            let what = format!("is no parameter that can be given anew, which are {}", known.join(", "));
            return Err(Error::invalid(format!("params.{name}"), what));
        }
        if value.is_null() {
            body.shift_remove(name);
        } else {
            body.insert(name.clone(), value.clone());
        }
    }
    if let Some(model_ref) = &change.model_ref {
        body.insert("model".to_owned(), json!(model_ref));
    }
    match operation {
        Operation::Chat => {
            if let Some(input) = &change.input {
                put_input(body, input)?;
            }
            if let Some(prompt) = &change.system_prompt {
                put_prompt(body, prompt);
            }
        }
        Operation::Embeddings => {
            if change.system_prompt.is_some() {
                return Err(Error::invalid("system_prompt", "is nothing that embeddings take, leave it out"));
            }
            if let Some(input) = &change.input {
                body.insert("input".to_owned(), input.clone());
            }
        }
    }
    Ok(())
}

/// A text takes the place of the last thing the user said, a list the place of all messages.
fn put_input(body: &mut Map<String, Value>, input: &Value) -> Result<()> {
    match input {
        Value::Array(_) => {
            body.insert("messages".to_owned(), input.clone());
            Ok(())
        }
        Value::String(text) => {
            let message = json!({ "role": "user", "content": text });
            let Some(Value::Array(messages)) = body.get_mut("messages") else {
                body.insert("messages".to_owned(), json!([message]));
                return Ok(());
            };
            match messages.iter_mut().rev().find(|message| has_role(message, &["user"])) {
                Some(present) => *present = message,
                None => messages.push(message),
            }
            Ok(())
        }
        _ => Err(Error::invalid("input", "must be a text, or a list of messages")),
    }
}

/// One prompt before everything else, in place of those there were.
fn put_prompt(body: &mut Map<String, Value>, prompt: &str) {
    let Some(Value::Array(messages)) = body.get_mut("messages") else { return };
    let first = messages.iter().find(|message| has_role(message, &["system", "developer"]));
    let role = first.and_then(|message| message.get("role")).cloned().unwrap_or_else(|| json!("system"));
    messages.retain(|message| !has_role(message, &["system", "developer"]));
    if !prompt.is_empty() {
        messages.insert(0, json!({ "role": role, "content": prompt }));
    }
}

fn has_role(message: &Value, roles: &[&str]) -> bool {
    message.get("role").and_then(Value::as_str).is_some_and(|role| roles.contains(&role))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(change: &Change, operation: Operation, body: Value) -> Result<Value> {
        let Value::Object(mut body) = body else { panic!("an object") };
        apply(change, operation, &mut body).map(|()| Value::Object(body))
    }

    fn chat() -> Value {
        json!({ "model": "m", "temperature": 1, "messages": [
            { "role": "developer", "content": "be brief" }, { "role": "user", "content": "a" },
            { "role": "assistant", "content": "b" }, { "role": "user", "content": "c" },
        ]})
    }

    #[test]
    fn a_chat_takes_a_model_a_prompt_parameters_and_what_the_user_says() {
        let change = Change {
            model_ref: Some("other".to_owned()),
            system_prompt: Some("be long".to_owned()),
            params: [("temperature".to_owned(), Value::Null), ("max_tokens".to_owned(), json!(5))].into(),
            input: Some(json!("d")),
        };
        let expected = json!({ "model": "other", "max_tokens": 5, "messages": [
            { "role": "developer", "content": "be long" }, { "role": "user", "content": "a" },
            { "role": "assistant", "content": "b" }, { "role": "user", "content": "d" },
        ]});
        assert_eq!(changed(&change, Operation::Chat, chat()).unwrap(), expected);
        let whole = Change { input: Some(json!([{ "role": "user", "content": "x" }])), ..Change::default() };
        assert_eq!(changed(&whole, Operation::Chat, chat()).unwrap()["messages"].as_array().map(Vec::len), Some(1));
        let none = Change { system_prompt: Some(String::new()), ..Change::default() };
        assert_eq!(changed(&none, Operation::Chat, chat()).unwrap()["messages"][0]["content"], "a");
        assert_eq!(changed(&Change::default(), Operation::Chat, chat()).unwrap(), chat());
    }

    #[test]
    fn what_is_unknown_is_named() {
        let param = |name: &str| Change { params: [(name.to_owned(), json!(1))].into(), ..Change::default() };
        let prompt = Change { system_prompt: Some("x".to_owned()), ..Change::default() };
        for (change, operation, field) in [
            (param("model"), Operation::Chat, "params.model"),
            (param("messages"), Operation::Chat, "params.messages"),
            (param("heat"), Operation::Chat, "params.heat"),
            (param("temperature"), Operation::Embeddings, "params.temperature"),
            (prompt, Operation::Embeddings, "system_prompt"),
            (Change { input: Some(json!(1)), ..Change::default() }, Operation::Chat, "input"),
        ] {
            let error = changed(&change, operation, json!({ "messages": [] })).unwrap_err();
            assert_eq!(error.field(), Some(field));
        }
    }
}
