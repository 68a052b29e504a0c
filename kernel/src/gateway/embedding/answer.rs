//! A list of embeddings on its way back.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::gateway::answer::Said;

/// Mends an answer in place: the model as asked, each vector in the encoding asked for. `None` when it does not fit the
/// request.
pub(in crate::gateway) fn finish(
    body: &mut Value,
    request: &Map<String, Value>,
    asked: &str,
    items: usize,
) -> Option<Said> {
    let mut said = Said::default();
    said.note(body);
    let fields = body.as_object_mut()?;
    let as_text = request.get("encoding_format").and_then(Value::as_str) == Some("base64");
    let dimensions = request.get("dimensions").and_then(Value::as_u64);
    let data = fields.get_mut("data")?.as_array_mut()?;
    if data.len() != items {
        return None;
    }
    for entry in data {
        let vector = entry.get_mut("embedding")?;
        let length = convert(vector, as_text)?;
        if dimensions.is_some_and(|wanted| u64::try_from(length) != Ok(wanted)) {
            return None;
        }
    }
    fields.insert("model".to_owned(), Value::from(asked));
    fields.entry("object").or_insert_with(|| Value::from("list"));
    fields.entry("usage").or_insert(Value::Null);
    Some(said)
}

/// Brings a vector into the encoding asked for; returns its length.
fn convert(vector: &mut Value, as_text: bool) -> Option<usize> {
    let (length, converted) = match vector {
        Value::String(text) => {
            let bytes = STANDARD.decode(text).ok()?;
            let (floats, rest) = bytes.as_chunks::<4>();
            if !rest.is_empty() {
                return None;
            }
            let numbers = || floats.iter().map(|bytes| Value::from(f32::from_le_bytes(*bytes))).collect();
            (floats.len(), (!as_text).then(numbers))
        }
        Value::Array(numbers) => {
            if !numbers.iter().all(Value::is_number) {
                return None;
            }
            let text = || Value::from(STANDARD.encode(numbers.iter().flat_map(little_endian).collect::<Vec<u8>>()));
            (numbers.len(), as_text.then(text))
        }
        _ => return None,
    };
    if let Some(converted) = converted {
        *vector = converted;
    }
    (length > 0).then_some(length)
}

#[expect(clippy::cast_possible_truncation, reason = "the wire's base64 form has 32-bit numbers")]
fn little_endian(number: &Value) -> [u8; 4] {
    (number.as_f64().unwrap_or_default() as f32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn finished(request: Value, vectors: Value) -> Option<Value> {
        let Value::Object(request) = request else { panic!("an object") };
        let items = vectors.as_array().unwrap().len();
        let data: Vec<Value> =
            vectors.as_array().unwrap().iter().map(|vector| json!({ "embedding": vector })).collect();
        let mut body = json!({ "data": data, "model": "real" });
        finish(&mut body, &request, "asked", items).map(|_| body)
    }

    #[test]
    fn both_encodings_come_out_as_asked() {
        let text = STANDARD.encode([0.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat());
        for given in [json!([0.5, -2.0]), json!(text)] {
            let floats = finished(json!({}), json!([given])).unwrap();
            let numbers: Vec<f64> =
                floats["data"][0]["embedding"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
            assert_eq!(numbers, [0.5, -2.0]);
            let encoded = finished(json!({ "encoding_format": "base64" }), json!([given])).unwrap();
            assert_eq!(encoded["data"][0]["embedding"], json!(text));
            assert_eq!(encoded["model"], "asked");
        }
    }

    #[test]
    fn counts_and_dimensions_must_fit() {
        assert!(finished(json!({ "dimensions": 3 }), json!([[1, 2]])).is_none());
        assert!(finished(json!({ "dimensions": 2 }), json!([[1, 2]])).is_some());
        assert!(finished(json!({}), json!([[]])).is_none());
        assert!(finished(json!({}), json!([["a"]])).is_none());
        let mut body = json!({ "data": [] });
        assert!(finish(&mut body, &Map::new(), "m", 1).is_none());
    }
}
