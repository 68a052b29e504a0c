//! Cells of a spreadsheet, by RFC 4180: what stands in them is data, never a formula.

use std::borrow::Cow;

use kernel::export::{Field, Kind};
use kernel::port::Record;
use serde_json::Value;

/// The line of a record.
pub(super) fn row(fields: &[Field], record: &Record) -> serde_json::Result<String> {
    let mut cells = Vec::with_capacity(fields.len());
    for field in fields {
        cells.push(cell(field, record.get(field.name).unwrap_or(&Value::Null))?);
    }
    Ok(cells.join(",") + "\r\n")
}

/// A text is guarded, a number is not; an object is JSON whose texts are guarded: who unfolds it gets them into cells, too.
fn cell(field: &Field, value: &Value) -> serde_json::Result<String> {
    Ok(match value {
        Value::Null => String::new(),
        Value::String(text) if matches!(field.kind, Kind::Decimal) => text.clone(),
        Value::String(text) => quoted(&guarded(text)),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => quoted(&serde_json::to_string(&unfolded(value.clone()))?),
    })
}

fn unfolded(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(guarded(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(unfolded).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, unfolded(value))).collect(),
        other => other,
    }
}

/// A text that a spreadsheet would take for a formula gets an apostrophe in front.
fn guarded(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use kernel::export::fields;
    use serde_json::json;
    use types::export::RecordType;

    use super::*;

    fn written(name: &str, value: Value) -> String {
        let field = fields(RecordType::Costs).iter().find(|field| field.name == name).unwrap();
        cell(field, &value).unwrap()
    }

    #[test]
    fn a_cell_is_text_and_never_a_formula() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"\nthere", "\"say \"\"hi\"\"\nthere\""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\r=x", "\"'\r=x\""),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
        ] {
            assert_eq!(written("model_ref", json!(text)), expected, "{text:?}");
        }
    }

    #[test]
    fn numbers_stay_numbers_and_objects_are_json_with_texts_that_are_no_formulas() {
        assert_eq!(written("amount", json!("-0.5")), "-0.5");
        assert_eq!(written("amount", Value::Null), "");
        assert_eq!(written("usage", json!({ "input": 10 })), "\"{\"\"input\"\":10}\"");
        assert_eq!(written("labels", json!({ "team": "=1+1" })), "\"{\"\"team\"\":\"\"'=1+1\"\"}\"");
        assert_eq!(written("snapshot", json!([true, { "a": ["@x"] }])), "\"[true,{\"\"a\"\":[\"\"'@x\"\"]}]\"");
    }
}
