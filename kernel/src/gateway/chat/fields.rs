//! The fields of a chat completion.

use serde_json::{Map, Value};
use types::modelhub::Capability;
use types::problem::Code;

use super::content::Messages;
use crate::gateway::field::{
    between, flag, given, integer, list, model, not_allowed, object, refuse_governed, required, text, whole,
};
use crate::gateway::request::{Operation, Options};
use crate::gateway::wish::{StreamWish, Wish};
use crate::{Error, Result};

const MAX_MESSAGES: usize = 4096;
const MAX_ANSWERS: u64 = 8;
const MAX_LOGPROBS: u64 = 20;
/// Far beyond any model; keeps arithmetic small.
const MAX_CAP: u64 = 100_000_000;

/// Fields that make the provider act on its own, pick another model, or carry what soit cannot see.
const GOVERNED: [&str; 11] = [
    "mcp_servers",
    "web_search_options",
    "container",
    "plugins",
    "models",
    "route",
    "provider",
    "fallbacks",
    "extra_body",
    "extra_headers",
    "background",
];

/// Checks the fields and notes what they ask for.
pub(in crate::gateway) fn read(options: Options, body: Map<String, Value>) -> Result<Wish> {
    let model = model(&body)?;
    refuse_governed(&body, &GOVERNED)?;
    let messages = messages(&body)?;
    let stream = stream(&body)?;
    between(&body, "temperature", 0.0, 2.0)?;
    between(&body, "top_p", 0.0, 1.0)?;
    between(&body, "presence_penalty", -2.0, 2.0)?;
    between(&body, "frequency_penalty", -2.0, 2.0)?;
    check_kinds(&body)?;
    let cap = whole(&body, "max_completion_tokens", 1, MAX_CAP)?.or(whole(&body, "max_tokens", 1, MAX_CAP)?);
    let answers = whole(&body, "n", 1, MAX_ANSWERS)?.unwrap_or(1);
    check_stop(&body)?;
    check_tier(&body)?;
    let tools = tools(&body)?;
    let format = response_format(&body)?;

    let mut needs = vec![(Capability::Chat, "model")];
    needs.extend(stream.map(|_| (Capability::Stream, "stream")));
    needs.extend((tools > 0).then_some((Capability::Tools, "tools")));
    needs.extend(format.map(|_| (Capability::JsonSchema, "response_format")));
    needs.extend((messages.images > 0).then_some((Capability::Vision, "messages")));
    let mut extra = messages.extra();
    extra.schema_bytes = tools + format.unwrap_or_default();
    Ok(Wish {
        operation: Operation::Chat,
        options,
        model,
        stream,
        needs,
        texts: messages.texts,
        tokens: Vec::new(),
        extra,
        cap,
        answers,
        urls: messages.urls,
        body,
    })
}

fn messages(body: &Map<String, Value>) -> Result<Messages> {
    let Value::Array(list) = required(body, "messages")? else {
        return Err(Error::invalid("messages", "must be a list"));
    };
    if !(1..=MAX_MESSAGES).contains(&list.len()) {
        return Err(Error::invalid("messages", format!("must have 1 to {MAX_MESSAGES} messages")));
    }
    let mut messages = Messages::default();
    for (index, message) in list.iter().enumerate() {
        messages.add(index, message)?;
    }
    Ok(messages)
}

fn stream(body: &Map<String, Value>) -> Result<Option<StreamWish>> {
    let options = object(body, "stream_options")?;
    if !flag(body, "stream")? {
        return match options {
            Some(_) => Err(Error::invalid("stream_options", "is only for streams; set `stream`")),
            None => Ok(None),
        };
    }
    let include_usage = options.map(|options| flag(options, "include_usage")).transpose();
    let include_usage =
        include_usage.map_err(|_| Error::invalid("stream_options.include_usage", "must be true or false"))?;
    Ok(Some(StreamWish { include_usage: include_usage.unwrap_or(false) }))
}

/// Fields the provider judges, as far as their kind goes: a wrong one is not worth the way.
fn check_kinds(body: &Map<String, Value>) -> Result<()> {
    for name in ["logprobs", "parallel_tool_calls", "store"] {
        flag(body, name)?;
    }
    for name in ["logit_bias", "metadata"] {
        object(body, name)?;
    }
    for name in ["user", "safety_identifier", "prompt_cache_key", "reasoning_effort"] {
        text(body, name)?;
    }
    integer(body, "seed")?;
    whole(body, "top_logprobs", 0, MAX_LOGPROBS)?;
    match given(body, "tool_choice") {
        None | Some(Value::String(_) | Value::Object(_)) => Ok(()),
        Some(_) => Err(Error::invalid("tool_choice", "must be a word or an object")),
    }
}

fn check_stop(body: &Map<String, Value>) -> Result<()> {
    let fine = match given(body, "stop") {
        None | Some(Value::String(_)) => true,
        Some(Value::Array(items)) => items.len() <= 4 && items.iter().all(Value::is_string),
        Some(_) => false,
    };
    if fine { Ok(()) } else { Err(Error::invalid("stop", "must be a text or at most 4 texts")) }
}

fn check_tier(body: &Map<String, Value>) -> Result<()> {
    match given(body, "service_tier") {
        None => Ok(()),
        Some(Value::String(tier)) if tier == "default" => Ok(()),
        Some(_) => {
            let detail = "the model has no price for this service tier; leave `service_tier` out or send `default`";
            Err(Error::new(Code::ServiceTierNotPriced, detail).with_field("service_tier", "is not priced"))
        }
    }
}

/// Bytes of the tools' schemas; zero without tools.
fn tools(body: &Map<String, Value>) -> Result<u64> {
    let tools = list(body, "tools")?;
    for (index, tool) in tools.iter().enumerate() {
        match tool.get("type").and_then(Value::as_str) {
            Some(kind @ ("function" | "custom")) => {
                let name = tool.get(kind).and_then(|tool| tool.get("name")).and_then(Value::as_str);
                if name.is_none_or(str::is_empty) {
                    return Err(Error::invalid(format!("tools[{index}].{kind}.name"), "is required"));
                }
            }
            Some(_) => return Err(not_allowed(format!("tools[{index}].type"))),
            None => return Err(Error::invalid(format!("tools[{index}].type"), "must be `function` or `custom`")),
        }
    }
    Ok(if tools.is_empty() { 0 } else { bytes_of(tools) })
}

/// Bytes of the schema of a structured answer, if one is asked for.
fn response_format(body: &Map<String, Value>) -> Result<Option<u64>> {
    let Some(format) = object(body, "response_format")? else { return Ok(None) };
    match format.get("type").and_then(Value::as_str) {
        Some("json_schema") => Ok(Some(bytes_of(format))),
        Some(_) => Ok(None),
        None => Err(Error::invalid("response_format.type", "is required")),
    }
}

fn bytes_of(value: &(impl serde::Serialize + ?Sized)) -> u64 {
    serde_json::to_vec(value).map_or(0, |bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX))
}
