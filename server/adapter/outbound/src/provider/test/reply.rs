//! An answer of the test provider, in both forms of the wire.

use std::time::Duration;

use kernel::port::{ModelCall, Tokenizer};
use serde_json::{Value, json};

use super::behavior::Behavior;
use super::prompt::Prompt;
use super::{sample, script};
use crate::tokenizer::{Encoding, Tiktoken};

/// The word that long answers are made of; with a space before it, it is one token.
const WORD: &str = " token";
/// Tokens of a paced answer.
const PACED: usize = 20;
/// How many tokens an answer that ignores its cap has beyond it.
const BEYOND_CAP: usize = 200;
const MAX_TOKENS: usize = 100_000;

/// What is said, before it takes a form.
#[derive(Debug, Default)]
pub(super) struct Reply {
    text: Option<String>,
    tool_calls: Vec<ToolCall>,
    is_cut: bool,
    /// None: the answer tells no usage.
    usage: Option<Value>,
    pub(super) delay: Duration,
}

#[derive(Debug)]
struct ToolCall {
    id: String,
    name: String,
    arguments: String,
}

impl Reply {
    /// The answer to a chat request; `Err` holds a status and why.
    pub(super) async fn to(call: &ModelCall, behavior: Behavior, prompt: Prompt<'_>) -> Result<Self, (u16, String)> {
        let mut reply = Self::say(call, behavior, prompt)?;
        reply.obey_stops(prompt);
        if behavior != Behavior::OverCap {
            reply.obey_cap(&call.upstream_model, prompt).await;
        }
        if behavior != Behavior::NoUsage && reply.usage.is_none() {
            reply.usage = Some(reply.count(&call.upstream_model, prompt).await);
        }
        Ok(reply)
    }

    fn say(call: &ModelCall, behavior: Behavior, prompt: Prompt<'_>) -> Result<Self, (u16, String)> {
        let text = |text: String| Self { text: Some(text), ..Self::default() };
        Ok(match behavior {
            Behavior::Tokens(count) => text(words(count)),
            // More frames than they get out.
            Behavior::Drop(frames) | Behavior::BadFrame(frames) => text(words(frames + 1)),
            Behavior::Pace(_) => text(words(PACED)),
            Behavior::OverCap => {
                text(words(prompt.cap().unwrap_or_default().saturating_add(BEYOND_CAP).min(MAX_TOKENS)))
            }
            Behavior::Slow(delay) => Self { delay, ..text(prompt.last_user_text()) },
            Behavior::Tool => Self::call_tools(call, prompt),
            Behavior::Script => Self::follow_script(call, prompt)?,
            Behavior::Embed(_) => return Err((400, "this model makes embeddings".to_owned())),
            _ => text(echo(prompt)),
        })
    }

    fn call_tools(call: &ModelCall, prompt: Prompt<'_>) -> Self {
        let results = prompt.tool_results();
        if !results.is_empty() {
            return Self { text: Some(results.join("\n")), ..Self::default() };
        }
        let calls = prompt.tools().into_iter().enumerate().map(|(index, tool)| ToolCall {
            id: tool_call_id(call, prompt, index),
            name: tool.name.to_owned(),
            arguments: tool.parameters.map_or_else(|| "{}".to_owned(), |schema| sample::of(schema).to_string()),
        });
        let tool_calls: Vec<ToolCall> = calls.collect();
        let text = tool_calls.is_empty().then(|| "no tool was offered".to_owned());
        Self { text, tool_calls, ..Self::default() }
    }

    fn follow_script(call: &ModelCall, prompt: Prompt<'_>) -> Result<Self, (u16, String)> {
        let turn = script::turn(prompt).map_err(|why| (400, why))?;
        if let Some(status) = turn.error {
            return Err((status, "the script wants this error".to_owned()));
        }
        let calls = turn.tool_calls.iter().enumerate().map(|(index, scripted)| ToolCall {
            id: scripted.id.clone().unwrap_or_else(|| tool_call_id(call, prompt, index)),
            name: scripted.name.clone(),
            arguments: scripted.arguments(),
        });
        let tool_calls: Vec<ToolCall> = calls.collect();
        let delay = turn.delay();
        let text = turn.text.or_else(|| tool_calls.is_empty().then(String::new));
        Ok(Self { text, tool_calls, usage: turn.usage, delay, is_cut: false })
    }

    /// Ends the text in front of the first text that stops it.
    fn obey_stops(&mut self, prompt: Prompt<'_>) {
        let Some(text) = &mut self.text else { return };
        if let Some(end) = prompt.stops().filter_map(|stop| text.find(stop)).min() {
            text.truncate(end);
        }
    }

    async fn obey_cap(&mut self, model: &str, prompt: Prompt<'_>) {
        let (Some(cap), Some(text)) = (prompt.cap(), &mut self.text) else { return };
        let tokens = Tiktoken.count(model, std::slice::from_ref(text)).await;
        if usize::try_from(tokens).is_ok_and(|tokens| tokens > cap) {
            *text = Encoding::of(model).truncate(text, cap);
            self.is_cut = true;
        }
    }

    async fn count(&self, model: &str, prompt: Prompt<'_>) -> Value {
        let mut spoken: Vec<String> = self.text.iter().cloned().collect();
        spoken.extend(self.tool_calls.iter().flat_map(|call| [call.name.clone(), call.arguments.clone()]));
        let choices = u64::try_from(prompt.choices()).unwrap_or(1);
        let input = Tiktoken.count(model, &prompt.texts()).await;
        let output = Tiktoken.count(model, &spoken).await * choices;
        json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output })
    }

    fn finish_reason(&self) -> &'static str {
        match (self.tool_calls.is_empty(), self.is_cut) {
            (false, _) => "tool_calls",
            (true, true) => "length",
            (true, false) => "stop",
        }
    }

    /// The whole answer.
    pub(super) fn whole(&self, call: &ModelCall, prompt: Prompt<'_>) -> Value {
        let tool_calls: Vec<Value> = self.tool_calls.iter().map(ToolCall::whole).collect();
        let message = if tool_calls.is_empty() {
            json!({ "role": "assistant", "content": self.text })
        } else {
            json!({ "role": "assistant", "content": self.text, "tool_calls": tool_calls })
        };
        let choice = |index| json!({ "index": index, "message": message, "finish_reason": self.finish_reason() });
        object(call, "chat.completion", (0..prompt.choices()).map(choice).collect(), self.usage.as_ref())
    }

    /// The frames of the streamed answer. The first carries role and content, so that frames can be counted.
    pub(super) fn frames(&self, call: &ModelCall, prompt: Prompt<'_>) -> Vec<Value> {
        let mut deltas: Vec<Value> =
            self.text.iter().flat_map(|text| pieces(text)).map(|piece| json!({ "content": piece })).collect();
        deltas.extend(self.tool_calls.iter().enumerate().flat_map(|(index, call)| call.deltas(index)));
        if deltas.is_empty() {
            deltas.push(json!({ "content": "" }));
        }
        if let Some(Value::Object(first)) = deltas.first_mut() {
            first.shift_insert(0, "role".to_owned(), Value::from("assistant"));
        }
        let frame = |choices, usage| object(call, "chat.completion.chunk", choices, usage);
        let each = |delta: &Value, reason: Value| -> Vec<Value> {
            let choices = |index| json!([{ "index": index, "delta": delta, "finish_reason": reason }]);
            (0..prompt.choices()).map(|index| frame(choices(index), None)).collect()
        };
        let mut frames: Vec<Value> = deltas.iter().flat_map(|delta| each(delta, Value::Null)).collect();
        frames.extend(each(&json!({}), Value::from(self.finish_reason())));
        if let (Some(usage), true) = (&self.usage, prompt.wants_usage_frame()) {
            frames.push(frame(json!([]), Some(usage)));
        }
        frames
    }
}

impl ToolCall {
    fn whole(&self) -> Value {
        json!({ "id": self.id, "type": "function", "function": { "name": self.name, "arguments": self.arguments } })
    }

    fn deltas(&self, index: usize) -> Vec<Value> {
        let delta = |call: Value| json!({ "tool_calls": [call] });
        let function = json!({ "name": self.name, "arguments": "" });
        let first = delta(json!({ "index": index, "id": self.id, "type": "function", "function": function }));
        let more =
            pieces(&self.arguments).map(|piece| delta(json!({ "index": index, "function": { "arguments": piece } })));
        std::iter::once(first).chain(more).collect()
    }
}

/// The last user message; as JSON when the answer must be JSON and the message is none.
fn echo(prompt: Prompt<'_>) -> String {
    let said = prompt.last_user_text();
    match prompt.schema() {
        Some(schema) if serde_json::from_str::<Value>(&said).is_err() => {
            schema.map_or_else(|| json!({ "text": said }), sample::of).to_string()
        }
        _ => said,
    }
}

/// So many tokens.
fn words(count: usize) -> String {
    WORD.repeat(count).trim_start().to_owned()
}

/// Words with the spaces before them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let word = rest.find(|character| character != ' ').unwrap_or(rest.len());
        let length = rest.get(word..).and_then(|word| word.find(' '));
        let (piece, behind) = rest.split_at(length.map_or(rest.len(), |length| word + length));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The same for the same conversation of the same run, different in each of its turns.
fn tool_call_id(call: &ModelCall, prompt: Prompt<'_>, index: usize) -> String {
    let run = call.run_id.to_string();
    let run = run.rsplit('_').next().unwrap_or_default();
    format!("call_{run}_{}_{index}", prompt.assistant_messages())
}

/// The object of the wire around choices.
fn object(call: &ModelCall, name: &str, choices: Value, usage: Option<&Value>) -> Value {
    let mut object = json!({
        "id": format!("chatcmpl-test-{}", call.run_id),
        "object": name,
        "created": created(call),
        "model": call.upstream_model,
        "choices": choices,
    });
    if let (Some(fields), Some(usage)) = (object.as_object_mut(), usage) {
        fields.insert("usage".to_owned(), usage.clone());
    }
    object
}

/// Seconds of the run's own time, which its id begins with.
fn created(call: &ModelCall) -> u64 {
    let millis = call.run_id.as_uuid().as_u128() >> 80;
    u64::try_from(millis / 1000).unwrap_or_default()
}
