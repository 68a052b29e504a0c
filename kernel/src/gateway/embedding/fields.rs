//! The fields of an embedding request.

use serde_json::{Map, Value};
use types::modelhub::Capability;

use crate::gateway::field::Fields;
use crate::gateway::request::{Operation, Options};
use crate::gateway::wish::{Extra, Wish};
use crate::{Error, Result};

const MAX_ITEMS: usize = 2048;
const MAX_DIMENSIONS: u64 = 65_536;

/// Checks the fields and notes what they ask for.
pub(in crate::gateway) fn read(options: Options, body: Map<String, Value>) -> Result<Wish> {
    let fields = Fields::of(&body);
    let model = fields.name("model")?.to_owned();
    fields.refuse_governed()?;
    let (texts, tokens) = input(fields.required("input")?)?;
    fields.word("encoding_format", &["float", "base64"])?;
    fields.whole("dimensions", 1, MAX_DIMENSIONS)?;
    fields.text("user")?;
    Ok(Wish {
        operation: Operation::Embeddings,
        options,
        model,
        stream: None,
        needs: vec![(Capability::Embedding, "model")],
        texts,
        tokens,
        extra: Extra::default(),
        cap: None,
        answers: 1,
        links: Vec::new(),
        script: None,
        body,
    })
}

/// Texts, or lists of token ids.
fn input(input: &Value) -> Result<(Vec<String>, Vec<Vec<u32>>)> {
    let items = match input {
        Value::String(_) => std::slice::from_ref(input),
        Value::Array(items) if items.first().is_some_and(Value::is_number) => {
            return Ok((Vec::new(), vec![ids(items, "input")?]));
        }
        Value::Array(items) => items,
        _ => return Err(Error::invalid("input", "must be a text, texts, token ids or lists of token ids")),
    };
    if !(1..=MAX_ITEMS).contains(&items.len()) {
        return Err(Error::invalid("input", format!("must have 1 to {MAX_ITEMS} items")));
    }
    let (mut texts, mut tokens) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        let path = if input.is_array() { format!("input[{index}]") } else { "input".to_owned() };
        match item {
            Value::String(text) if text.is_empty() => return Err(Error::invalid(path, "must not be empty")),
            Value::String(text) if tokens.is_empty() => texts.push(text.clone()),
            Value::Array(list) if texts.is_empty() => tokens.push(ids(list, &path)?),
            _ => return Err(Error::invalid(path, "must be of the same kind as the other items: texts or token ids")),
        }
    }
    Ok((texts, tokens))
}

fn ids(list: &[Value], path: &str) -> Result<Vec<u32>> {
    if list.is_empty() {
        return Err(Error::invalid(path, "must not be empty"));
    }
    let id = |(index, id): (usize, &Value)| {
        let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
        id.ok_or_else(|| Error::invalid(format!("{path}[{index}]"), "is no token id"))
    };
    list.iter().enumerate().map(id).collect()
}

/// Writes the outgoing body: the provider's own name of the model, texts in place of token ids.
pub(in crate::gateway) fn forward(
    body: &mut Map<String, Value>,
    upstream_model: &str,
    decoded: Option<&[String]>,
) -> Vec<&'static str> {
    body.insert("model".to_owned(), Value::from(upstream_model));
    match (decoded, body.get("input")) {
        (Some([text]), Some(Value::Array(ids))) if ids.first().is_some_and(Value::is_number) => {
            body.insert("input".to_owned(), Value::from(text.as_str()));
        }
        (Some(texts), _) => {
            body.insert("input".to_owned(), texts.iter().map(String::as_str).collect());
        }
        (None, _) => {}
    }
    let dropped = body.shift_remove("user").map(|_| "user");
    dropped.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_input(input: &Value) -> Result<(usize, usize)> {
        let Value::Object(body) = json!({ "model": "m", "input": input }) else { panic!("an object") };
        read(Options::default(), body).map(|wish| (wish.texts.len(), wish.tokens.len()))
    }

    #[test]
    fn four_forms_of_input_are_taken() {
        for (input, expected) in
            [(json!("a"), (1, 0)), (json!(["a", "b"]), (2, 0)), (json!([1, 2]), (0, 1)), (json!([[1], [2, 3]]), (0, 2))]
        {
            assert_eq!(read_input(&input).unwrap(), expected, "{input}");
        }
    }

    #[test]
    fn wrong_items_are_named_with_their_index() {
        for (input, field) in [
            (json!(""), "input"),
            (json!([]), "input"),
            (json!(5), "input"),
            (json!(["a", ""]), "input[1]"),
            (json!(["a", [1]]), "input[1]"),
            (json!([[1], []]), "input[1]"),
            (json!([1, -2]), "input[1]"),
            (json!([[1, 1.5]]), "input[0][1]"),
            (json!([1, "a"]), "input[1]"),
        ] {
            assert_eq!(read_input(&input).unwrap_err().field(), Some(field), "{input}");
        }
        assert!(read_input(&Value::from(vec!["a"; 2049])).is_err());
    }

    #[test]
    fn token_ids_go_out_as_texts_in_the_same_form() {
        let sent = |input: Value, texts: &[&str]| {
            let Value::Object(mut body) = json!({ "input": input, "model": "m", "user": "u" }) else {
                panic!("an object")
            };
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            forward(&mut body, "up", Some(&texts));
            serde_json::to_string(&body).unwrap()
        };
        assert_eq!(sent(json!([1, 2]), &["ab"]), r#"{"input":"ab","model":"up"}"#);
        assert_eq!(sent(json!([[1], [2]]), &["a", "b"]), r#"{"input":["a","b"],"model":"up"}"#);
    }
}
