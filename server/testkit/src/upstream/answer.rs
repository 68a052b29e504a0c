//! What is answered when nothing goes wrong, as bodies and frames.

use serde_json::{Value, json};

use super::fault::Fault;

const WORDS: [&str; 5] = ["one", "two", "three", "four", "five"];

/// A chat request, read as far as the answer depends on it.
#[derive(Debug)]
pub(super) struct Chat {
    model: String,
    prompt_tokens: usize,
    words: Vec<String>,
    is_cut: bool,
    usage: Option<Value>,
    wants_usage_frame: bool,
}

impl Chat {
    pub(super) fn read(body: &Value, prompt: &str, fault: Option<Fault>) -> Self {
        // Long enough for the fault to strike before the end.
        let frames = match fault {
            Some(
                Fault::Stall(frames)
                | Fault::ResetAfter(frames)
                | Fault::Cut(frames)
                | Fault::End(frames)
                | Fault::Garbage(frames)
                | Fault::ErrorAfter(frames),
            ) => frames + 1,
            _ => 0,
        };
        let number = |name| body.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
        let cap = number("max_completion_tokens").or_else(|| number("max_tokens")).unwrap_or(usize::MAX);
        let known: Vec<&str> = match fault {
            Some(Fault::Echo(_)) => prompt.split_whitespace().collect(),
            _ => WORDS.to_vec(),
        };
        let wanted = frames.max(known.len());
        let words = known.into_iter().map(str::to_owned).cycle().take(wanted.min(cap.max(frames)));
        let words: Vec<String> = words.collect();
        let prompt_tokens = prompt.split_whitespace().count();
        let usage = match fault {
            Some(Fault::NoUsage) => None,
            Some(Fault::WrongUsage) => Some(json!({
                "prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 1,
                "prompt_tokens_details": { "cached_tokens": 10 },
            })),
            _ => Some(json!({
                "prompt_tokens": prompt_tokens, "completion_tokens": words.len(), "total_tokens": prompt_tokens + words.len(),
            })),
        };
        Self {
            model: body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned(),
            prompt_tokens,
            is_cut: words.len() < wanted,
            words,
            usage,
            wants_usage_frame: body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true)),
        }
    }

    fn finish_reason(&self) -> &'static str {
        if self.is_cut { "length" } else { "stop" }
    }

    /// The object of the wire around choices, with usage if given.
    fn object(&self, name: &str, choices: Value, usage: Option<&Value>) -> Value {
        let mut object = json!({
            "id": "chatcmpl-upstream", "object": name, "created": 1_700_000_000, "model": self.model,
            "system_fingerprint": format!("fp_{}", self.prompt_tokens), "choices": choices,
        });
        add_usage(&mut object, usage);
        object
    }

    /// The whole answer.
    pub(super) fn whole(&self) -> Value {
        let message = json!({ "role": "assistant", "content": self.words.join(" "), "refusal": null });
        let choices = json!([{ "index": 0, "message": message, "finish_reason": self.finish_reason() }]);
        self.object("chat.completion", choices, self.usage.as_ref())
    }

    /// The frames of the streamed answer: one for each word, the finish reason, the usage if asked for.
    pub(super) fn frames(&self) -> Vec<Value> {
        let frame = |choices| self.object("chat.completion.chunk", choices, None);
        let word = |(number, word): (usize, &String)| {
            let delta = if number == 0 {
                json!({ "role": "assistant", "content": word })
            } else {
                json!({ "content": format!(" {word}") })
            };
            frame(json!([{ "index": 0, "delta": delta, "finish_reason": null }]))
        };
        let mut frames: Vec<Value> = self.words.iter().enumerate().map(word).collect();
        frames.push(frame(json!([{ "index": 0, "delta": {}, "finish_reason": self.finish_reason() }])));
        if let (Some(usage), true) = (&self.usage, self.wants_usage_frame) {
            frames.push(self.object("chat.completion.chunk", json!([]), Some(usage)));
        }
        frames
    }
}

/// The answer to an embeddings request: a vector of four numbers for each input.
pub(super) fn embeddings(body: &Value, fault: Option<Fault>) -> Value {
    let input = body.get("input").unwrap_or(&Value::Null);
    let items = match input {
        Value::Array(items) if items.iter().all(Value::is_number) => 1,
        Value::Array(items) => items.len(),
        _ => 1,
    };
    let data: Vec<Value> = (0..items)
        .map(|index| json!({ "object": "embedding", "index": index, "embedding": [0.5, -0.25, 0.125, 1.0] }))
        .collect();
    let mut answer = json!({ "object": "list", "data": data, "model": body.get("model") });
    let usage = match fault {
        Some(Fault::NoUsage) => None,
        Some(Fault::WrongUsage) => Some(json!({ "prompt_tokens": -1, "total_tokens": -1 })),
        _ => Some(json!({ "prompt_tokens": items, "total_tokens": items })),
    };
    add_usage(&mut answer, usage.as_ref());
    answer
}

fn add_usage(object: &mut Value, usage: Option<&Value>) {
    if let (Some(fields), Some(usage)) = (object.as_object_mut(), usage) {
        fields.insert("usage".to_owned(), usage.clone());
    }
}

/// An error in the words of the wire.
pub(super) fn error(message: &str) -> Value {
    json!({ "error": { "message": message, "type": "server_error", "param": null, "code": "scripted" } })
}
