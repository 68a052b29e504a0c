//! The frames of a streamed chat completion on their way back.
//!
//! Every stream leaves soit in one shape, however the provider frames it: one id, role first, tool calls with index, id and
//! name on their first fragment only, one finish reason a choice, and usage only where it was asked for. What soit does
//! not know passes through.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use types::id::RunId;

use super::answer::text_of;
use crate::gateway::answer::Said;

/// Mends the frames of one stream and remembers what they said.
#[derive(Debug)]
pub(in crate::gateway) struct Frames {
    id: String,
    model: String,
    created: i64,
    include_usage: bool,
    choices: BTreeMap<u64, Choice>,
    said: Said,
    /// Characters said so far.
    chars: u64,
    usage_frame: Option<Map<String, Value>>,
}

/// One answer of the stream.
#[derive(Debug, Default)]
struct Choice {
    has_role: bool,
    is_finished: bool,
    /// Tool calls begun so far: index to the provider's id.
    tools: BTreeMap<u64, String>,
    last_tool: u64,
}

/// A frame to send.
#[derive(Debug, PartialEq)]
pub(in crate::gateway) struct Mended {
    /// The frame.
    pub(in crate::gateway) frame: Value,
    /// Whether it carries anything of the answer itself.
    pub(in crate::gateway) has_content: bool,
    /// The new words in it.
    pub(in crate::gateway) text: String,
    /// Characters said before them.
    pub(in crate::gateway) chars: u64,
}

/// One choice of a frame.
struct MendedChoice {
    fields: Value,
    has_content: bool,
    text: String,
}

impl Frames {
    pub(in crate::gateway) fn new(run_id: RunId, asked: &str, created: i64, include_usage: bool) -> Self {
        Self {
            id: format!("chatcmpl-{run_id}"),
            model: asked.to_owned(),
            created,
            include_usage,
            choices: BTreeMap::new(),
            said: Said::default(),
            chars: 0,
            usage_frame: None,
        }
    }

    /// What was said, once the stream is over.
    pub(in crate::gateway) fn into_said(self) -> Said {
        self.said
    }

    /// Whether every choice has ended: a missing end mark is no loss then.
    pub(in crate::gateway) fn is_finished(&self) -> bool {
        !self.choices.is_empty() && self.choices.values().all(|choice| choice.is_finished)
    }

    /// Mends a frame; `Ok(None)` when nothing of it is to be sent, `Err` when it is no frame of this wire.
    pub(in crate::gateway) fn take(&mut self, frame: Value) -> Result<Option<Mended>, ()> {
        self.said.note(&frame);
        let Value::Object(mut fields) = frame else { return Err(()) };
        let has_usage = fields.get("usage").is_some_and(|usage| !usage.is_null());
        let given = match fields.remove_keeping("choices") {
            Some(Value::Array(choices)) => choices,
            None | Some(Value::Null) => Vec::new(),
            Some(_) => return Err(()),
        };
        if given.is_empty() && has_usage {
            self.usage_frame = Some(fields);
            return Ok(None);
        }
        let was_empty = given.is_empty();
        let (mut has_content, mut text, mut choices) = (false, String::new(), Vec::new());
        for choice in given {
            if let Some(mended) = self.mend_choice(choice)? {
                has_content |= mended.has_content;
                text.push_str(&mended.text);
                choices.push(mended.fields);
            }
        }
        if choices.is_empty() && !was_empty {
            return Ok(None);
        }
        let chars = self.chars;
        self.chars += u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        self.said.text.push_str(&text);
        self.said.answered |= !text.is_empty();
        fields.insert("choices".to_owned(), Value::Array(choices));
        if self.include_usage {
            if has_usage {
                fields.insert("usage".to_owned(), Value::Null);
            }
        } else {
            fields.shift_remove("usage");
        }
        Ok(Some(Mended { frame: self.stamp(fields), has_content, text, chars }))
    }

    /// What is still owed when the stream has come to its end.
    pub(in crate::gateway) fn end(&mut self) -> Vec<Value> {
        let unfinished = self.choices.iter_mut().filter(|(_, choice)| !choice.is_finished);
        let mut owed: Vec<Value> = unfinished
            .map(|(index, choice)| {
                choice.is_finished = true;
                json!({ "index": index, "delta": {}, "finish_reason": "stop" })
            })
            .collect();
        let mut frames = Vec::new();
        if !owed.is_empty() {
            let mut fields = Map::new();
            fields.insert("choices".to_owned(), Value::Array(std::mem::take(&mut owed)));
            frames.push(self.stamp(fields));
        }
        if self.include_usage {
            let mut fields = self.usage_frame.take().unwrap_or_default();
            fields.insert("choices".to_owned(), Value::Array(Vec::new()));
            fields.insert("usage".to_owned(), self.said.usage.clone().unwrap_or_default());
            frames.push(self.stamp(fields));
        }
        frames
    }

    fn stamp(&self, mut fields: Map<String, Value>) -> Value {
        fields.insert("id".to_owned(), Value::from(self.id.as_str()));
        fields.entry("object").or_insert_with(|| Value::from("chat.completion.chunk"));
        fields.insert("created".to_owned(), Value::from(self.created));
        fields.insert("model".to_owned(), Value::from(self.model.as_str()));
        Value::Object(fields)
    }

    fn mend_choice(&mut self, choice: Value) -> Result<Option<MendedChoice>, ()> {
        let Value::Object(mut fields) = choice else { return Err(()) };
        let index = fields.get("index").and_then(Value::as_u64).unwrap_or(0);
        let state = self.choices.entry(index).or_default();
        let delta = fields.remove_keeping("delta").or_else(|| fields.shift_remove("message"));
        let mut delta = match delta {
            Some(Value::Object(delta)) => delta,
            None | Some(Value::Null) => Map::new(),
            Some(_) => return Err(()),
        };
        state.mend_tools(&self.id, &mut delta);
        let text = text_of(&delta);
        let role = delta.shift_remove("role").unwrap_or_else(|| Value::from("assistant"));
        let reason = fields.get("finish_reason").filter(|reason| !reason.is_null()).cloned();
        let has_delta = delta.values().any(|value| !is_blank(value));
        if state.is_finished && !has_delta {
            return Ok(None);
        }
        if !std::mem::replace(&mut state.has_role, true) {
            delta.shift_insert(0, "role".to_owned(), role);
        }
        let reason = match reason {
            Some(reason) if !std::mem::replace(&mut state.is_finished, true) => reason,
            _ => Value::Null,
        };
        if let Some(reason) = reason.as_str() {
            self.said.finish_reason.get_or_insert_with(|| reason.to_owned());
        }
        let has_content = has_delta || !reason.is_null();
        fields.insert("index".to_owned(), Value::from(index));
        fields.insert("delta".to_owned(), Value::Object(delta));
        fields.insert("finish_reason".to_owned(), reason);
        Ok(Some(MendedChoice { fields: Value::Object(fields), has_content, text }))
    }
}

impl Choice {
    /// Index, id, type and name stand on the first fragment of a call and nowhere else.
    fn mend_tools(&mut self, answer_id: &str, delta: &mut Map<String, Value>) {
        let Some(Value::Array(calls)) = delta.get_mut("tool_calls") else { return };
        for call in calls.iter_mut().filter_map(Value::as_object_mut) {
            let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
            let index = call.get("index").and_then(Value::as_u64).unwrap_or_else(|| self.index_of(id.as_deref()));
            self.last_tool = index;
            let is_first = !self.tools.contains_key(&index);
            if is_first {
                let id = id.unwrap_or_else(|| format!("call_{answer_id}_{index}"));
                call.shift_insert(0, "index".to_owned(), Value::from(index));
                call.insert("id".to_owned(), Value::from(id.as_str()));
                call.entry("type").or_insert_with(|| Value::from("function"));
                self.tools.insert(index, id);
            } else {
                call.insert("index".to_owned(), Value::from(index));
                call.shift_remove("id");
                call.shift_remove("type");
                for body in ["function", "custom"] {
                    if let Some(Value::Object(body)) = call.get_mut(body) {
                        body.shift_remove("name");
                    }
                }
            }
        }
    }

    /// The index of a fragment that names none: the call of its id, the next call for a new id, else the last one.
    fn index_of(&self, id: Option<&str>) -> u64 {
        let next = self.tools.keys().next_back().map_or(0, |last| last + 1);
        match id {
            Some(id) => self.tools.iter().find(|(_, known)| *known == id).map_or(next, |(index, _)| *index),
            None => self.last_tool,
        }
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Taking a value out while its key keeps its place.
trait RemoveKeeping {
    fn remove_keeping(&mut self, key: &str) -> Option<Value>;
}

impl RemoveKeeping for Map<String, Value> {
    fn remove_keeping(&mut self, key: &str) -> Option<Value> {
        self.get_mut(key).map(Value::take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::id::Uuid;

    fn frames(include_usage: bool) -> Frames {
        Frames::new(RunId::from_uuid(Uuid::from_u128(7)), "asked", 5, include_usage)
    }

    fn run(frames: &mut Frames, upstream: &[Value]) -> Vec<Value> {
        let mut out: Vec<Value> = upstream
            .iter()
            .filter_map(|frame| frames.take(frame.clone()).unwrap())
            .map(|mended| mended.frame)
            .collect();
        out.extend(frames.end());
        out
    }

    fn delta(delta: Value) -> Value {
        json!({ "id": "up", "object": "chat.completion.chunk", "created": 1, "model": "real", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
    }

    #[test]
    fn role_comes_first_and_once_and_the_finish_reason_once() {
        let mut frames = frames(false);
        let finish = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
        let out = run(
            &mut frames,
            &[
                delta(json!({ "content": "a" })),
                delta(json!({ "role": "assistant", "content": "b" })),
                finish.clone(),
                finish,
                json!({ "choices": [], "usage": { "prompt_tokens": 1 } }),
            ],
        );
        assert_eq!(out.len(), 3);
        assert_eq!(out[0]["choices"][0]["delta"], json!({ "role": "assistant", "content": "a" }));
        assert_eq!(out[1]["choices"][0]["delta"], json!({ "content": "b" }));
        assert_eq!(out[2]["choices"][0]["finish_reason"], "stop");
        assert!(
            out.iter().all(|frame| frame["model"] == "asked" && frame["created"] == 5 && frame.get("usage").is_none())
        );
        assert_eq!(frames.said.text, "ab");
        assert_eq!(frames.said.usage, Some(json!({ "prompt_tokens": 1 })));
    }

    #[test]
    fn usage_is_one_last_frame_and_only_if_asked_for() {
        let mut with = frames(true);
        let in_content = json!({ "choices": [{ "index": 0, "delta": { "content": "a" }, "finish_reason": "stop" }], "usage": { "prompt_tokens": 3 }, "x": 1 });
        let out = run(&mut with, &[in_content]);
        assert_eq!(out[0]["usage"], Value::Null);
        assert_eq!((&out[1]["choices"], &out[1]["usage"]), (&json!([]), &json!({ "prompt_tokens": 3 })));
        let mut none = frames(true);
        let out = run(&mut none, &[delta(json!({ "content": "a" }))]);
        assert_eq!(out.last().unwrap()["usage"], Value::Null);
    }

    #[test]
    fn tool_fragments_are_mended() {
        let mut frames = frames(false);
        let call = |call: Value| delta(json!({ "tool_calls": [call] }));
        let out = run(
            &mut frames,
            &[
                call(json!({ "id": "c1", "function": { "name": "f", "arguments": "{" } })),
                call(json!({ "id": "c1", "type": "function", "function": { "name": "f", "arguments": "}" } })),
                call(json!({ "id": "c2", "type": "function", "function": { "name": "g", "arguments": "" } })),
                call(json!({ "function": { "arguments": "{}" } })),
            ],
        );
        let of = |index: usize| out[index]["choices"][0]["delta"]["tool_calls"][0].clone();
        assert_eq!(
            of(0),
            json!({ "index": 0, "id": "c1", "type": "function", "function": { "name": "f", "arguments": "{" } })
        );
        assert_eq!(of(1), json!({ "index": 0, "function": { "arguments": "}" } }));
        assert_eq!(of(2)["index"], 1);
        assert_eq!(of(3), json!({ "index": 1, "function": { "arguments": "{}" } }));
        assert_eq!(out.last().unwrap()["choices"][0]["finish_reason"], "stop");
    }

    #[test]
    fn a_whole_message_becomes_deltas_and_unknown_fields_pass() {
        let mut frames = frames(false);
        let whole = json!({ "vendor": [1.0], "choices": [{ "index": 0, "logprobs": null, "message": { "role": "assistant", "content": "x", "extra": { "a": 1 } }, "finish_reason": "stop" }] });
        let out = run(&mut frames, &[whole]);
        assert_eq!(out[0]["vendor"].to_string(), "[1.0]");
        assert_eq!(out[0]["choices"][0]["delta"], json!({ "role": "assistant", "content": "x", "extra": { "a": 1 } }));
        assert!(frames.is_finished());
    }

    #[test]
    fn a_role_alone_is_no_content_and_garbage_is_told() {
        let mut frames = frames(false);
        assert!(!frames.take(delta(json!({ "role": "assistant", "content": "" }))).unwrap().unwrap().has_content);
        assert!(frames.take(delta(json!({ "reasoning_content": "hm" }))).unwrap().unwrap().has_content);
        for wrong in [json!([]), json!("x"), json!({ "choices": 1 }), json!({ "choices": [1] })] {
            assert_eq!(frames.take(wrong), Err(()));
        }
    }
}
