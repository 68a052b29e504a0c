//! The fields of a chat completion.

use serde_json::{Map, Value};
use types::modelhub::Capability;
use types::problem::Code;

use super::content::Messages;
use crate::gateway::field::Fields;
use crate::gateway::request::{Operation, Options};
use crate::gateway::wish::{StreamWish, Wish};
use crate::{Error, Result};

const MAX_MESSAGES: usize = 4096;
const MAX_ANSWERS: u64 = 8;
const MAX_LOGPROBS: u64 = 20;
/// Far beyond any model; keeps arithmetic small.
const MAX_CAP: u64 = 100_000_000;

/// The words a caller may send for a tier, as the wire has them.
const TIERS: [&str; 5] = ["auto", "default", "flex", "priority", "scale"];

/// Checks the fields and notes what they ask for.
pub(in crate::gateway) fn read(options: Options, body: Map<String, Value>) -> Result<Wish> {
    let fields = Fields::of(&body);
    let model = fields.name("model")?.to_owned();
    fields.refuse_governed()?;
    let messages = messages(&fields)?;
    let stream = stream(&fields)?;
    check_numbers(&fields)?;
    check_kinds(&fields)?;
    check_stop(&fields)?;
    check_tier(&fields)?;
    check_tool_choice(&fields)?;
    let cap = fields.whole("max_completion_tokens", 1, MAX_CAP)?.or(fields.whole("max_tokens", 1, MAX_CAP)?);
    let answers = fields.whole("n", 1, MAX_ANSWERS)?.unwrap_or(1);
    let tools = tools(&fields)?;
    let format = response_format(&fields)?;

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
        links: messages.links,
        script: None,
        body,
    })
}

fn messages(body: &Fields<'_>) -> Result<Messages> {
    body.required("messages")?;
    if !(1..=MAX_MESSAGES).contains(&body.list("messages")?.len()) {
        return Err(body.wrong("messages", format!("must have 1 to {MAX_MESSAGES} messages")));
    }
    let mut messages = Messages::default();
    for message in body.objects("messages")? {
        messages.add(&message)?;
    }
    Ok(messages)
}

fn stream(body: &Fields<'_>) -> Result<Option<StreamWish>> {
    let options = body.object("stream_options")?;
    if !body.flag("stream")? {
        return match options {
            Some(_) => Err(body.wrong("stream_options", "is only for streams; set `stream`")),
            None => Ok(None),
        };
    }
    let include_usage = options.map(|options| options.flag("include_usage")).transpose()?;
    Ok(Some(StreamWish { include_usage: include_usage.unwrap_or(false) }))
}

fn check_numbers(body: &Fields<'_>) -> Result<()> {
    body.between("temperature", 0.0, 2.0)?;
    body.between("top_p", 0.0, 1.0)?;
    body.between("presence_penalty", -2.0, 2.0)?;
    body.between("frequency_penalty", -2.0, 2.0)?;
    body.whole("top_logprobs", 0, MAX_LOGPROBS)?;
    body.integer("seed")
}

/// Fields the provider judges, as far as their kind goes: a wrong one is not worth the way.
fn check_kinds(body: &Fields<'_>) -> Result<()> {
    for name in ["logprobs", "parallel_tool_calls", "store"] {
        body.flag(name)?;
    }
    for name in ["audio", "prediction"] {
        body.object(name)?;
    }
    for name in
        ["user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "reasoning_effort", "verbosity"]
    {
        body.text(name)?;
    }
    if !body.list("modalities")?.iter().all(Value::is_string) {
        return Err(body.wrong("modalities", "must be a list of words"));
    }
    if let Some(biases) = body.object("logit_bias")? {
        biases.iter().try_for_each(|(token, _)| biases.between(token, -100.0, 100.0))?;
    }
    if let Some(metadata) = body.object("metadata")? {
        metadata.iter().try_for_each(|(key, _)| metadata.text(key).map(drop))?;
    }
    Ok(())
}

fn check_stop(body: &Fields<'_>) -> Result<()> {
    let fine = match body.given("stop") {
        None | Some(Value::String(_)) => true,
        Some(Value::Array(items)) => items.len() <= 4 && items.iter().all(Value::is_string),
        Some(_) => false,
    };
    if fine { Ok(()) } else { Err(body.wrong("stop", "must be a text or at most 4 texts")) }
}

fn check_tier(body: &Fields<'_>) -> Result<()> {
    match body.word("service_tier", &TIERS)? {
        None | Some("default") => Ok(()),
        Some(_) => {
            let detail = "the model has no price for this service tier; leave `service_tier` out or send `default`";
            Err(Error::new(Code::ServiceTierNotPriced, detail).with_field("service_tier", "is not priced"))
        }
    }
}

/// A word, or an object that names the tool. The older name of the field says the same without a type.
fn check_tool_choice(body: &Fields<'_>) -> Result<()> {
    if let Some(Value::Object(_)) = body.given("tool_choice") {
        let choice = body.required_object("tool_choice")?;
        match choice.required_word("type", &["function", "custom", "allowed_tools"])? {
            "allowed_tools" => choice.required_object("allowed_tools").map(drop)?,
            kind => choice.required_object(kind)?.name("name").map(drop)?,
        }
    } else {
        body.word("tool_choice", &["none", "auto", "required"])?;
    }
    match body.given("function_call") {
        Some(Value::Object(_)) => body.required_object("function_call")?.name("name").map(drop),
        _ => body.word("function_call", &["none", "auto"]).map(drop),
    }
}

/// Bytes of the schemas of tools, also under the older name of the field; zero without tools.
fn tools(body: &Fields<'_>) -> Result<u64> {
    for tool in body.objects("tools")? {
        match tool.text("type")? {
            Some(kind @ ("function" | "custom")) => check_tool(&tool.required_object(kind)?)?,
            Some(_) => return Err(tool.not_allowed("type")),
            None => return Err(tool.wrong("type", "must be `function` or `custom`")),
        }
    }
    body.objects("functions")?.iter().try_for_each(check_tool)?;
    let given = ["tools", "functions"].into_iter().map(|name| body.list(name));
    given.map(|list| list.map(|list| if list.is_empty() { 0 } else { bytes_of(list) })).sum()
}

fn check_tool(tool: &Fields<'_>) -> Result<()> {
    tool.name("name")?;
    tool.text("description")?;
    tool.object("parameters")?;
    tool.flag("strict").map(drop)
}

/// Bytes of the schema of a structured answer, if one is asked for.
fn response_format(body: &Fields<'_>) -> Result<Option<u64>> {
    let Some(format) = body.object("response_format")? else { return Ok(None) };
    if format.required_word("type", &["text", "json_object", "json_schema"])? != "json_schema" {
        return Ok(None);
    }
    let schema = format.required_object("json_schema")?;
    schema.name("name")?;
    schema.object("schema")?;
    schema.flag("strict")?;
    Ok(body.given("response_format").map(bytes_of))
}

fn bytes_of(value: &(impl serde::Serialize + ?Sized)) -> u64 {
    serde_json::to_vec(value).map_or(0, |bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX))
}
