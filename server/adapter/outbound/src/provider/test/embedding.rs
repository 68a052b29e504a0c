//! Vectors of the test provider: the same text gives the same vector, of length 1.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kernel::port::Tokenizer;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::tokenizer::Tiktoken;

/// The inputs of a request as texts; token ids are decoded.
pub(super) fn inputs(body: &Value, model: &str) -> Result<Vec<String>, String> {
    let is_item = |value: &Value| value.is_string() || value.is_array();
    match body.get("input").unwrap_or(&Value::Null) {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(items) if items.iter().all(is_item) && !items.is_empty() => {
            items.iter().enumerate().map(|(index, item)| text(item, model, &format!("input[{index}]"))).collect()
        }
        ids @ Value::Array(_) => Ok(vec![text(ids, model, "input")?]),
        _ => Err("`input` is a text, token ids, or a list of them".to_owned()),
    }
}

fn text(item: &Value, model: &str, name: &str) -> Result<String, String> {
    if let Value::String(text) = item {
        return Ok(text.clone());
    }
    let id = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
    let ids: Option<Vec<u32>> = item.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(id).collect();
    let ids = ids.filter(|ids| !ids.is_empty()).ok_or_else(|| format!("`{name}` is no list of token ids"))?;
    Tiktoken.decode(model, &ids).map_err(|index| format!("`{name}[{index}]` is no token id"))
}

/// The answer to a request.
pub(super) fn answer(
    body: &Value,
    model: &str,
    dimensions: usize,
    texts: &[String],
    tokens: u64,
) -> Result<Value, String> {
    let wanted = body.get("dimensions").and_then(Value::as_u64).and_then(|wanted| usize::try_from(wanted).ok());
    let length = wanted.unwrap_or(dimensions);
    if length == 0 || length > dimensions {
        return Err(format!("`dimensions` is from 1 to {dimensions} for this model"));
    }
    let as_text = body.get("encoding_format").and_then(Value::as_str) == Some("base64");
    let entry = |(index, text): (usize, &String)| {
        let vector = vector(text, dimensions, length);
        let embedding: Value = if as_text {
            STANDARD.encode(vector.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()).into()
        } else {
            vector.into_iter().map(Value::from).collect()
        };
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    };
    let data: Vec<Value> = texts.iter().enumerate().map(entry).collect();
    let usage = json!({ "prompt_tokens": tokens, "total_tokens": tokens });
    Ok(json!({ "object": "list", "data": data, "model": model, "usage": usage }))
}

/// The first numbers of the text's vector, brought to length 1.
fn vector(text: &str, dimensions: usize, length: usize) -> Vec<f32> {
    let seed = Sha256::digest(text.as_bytes());
    let bytes = (0_u32..).flat_map(|block| -> [u8; 32] {
        Sha256::new().chain_update(seed).chain_update(block.to_be_bytes()).finalize().into()
    });
    let numbers: Vec<f32> = bytes.take(dimensions).take(length).map(|byte| (f32::from(byte) - 127.5) / 127.5).collect();
    let norm = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.into_iter().map(|number| number / norm).collect()
}
