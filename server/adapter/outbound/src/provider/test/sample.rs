//! A value that satisfies a JSON Schema, as far as models are asked to: types, members, enums, references.

use serde_json::{Map, Value, json};

/// Schemas may refer to themselves.
const MAX_DEPTH: usize = 16;

/// A value of the schema; references are looked up in the same document.
pub(super) fn of(schema: &Value) -> Value {
    sample(schema, schema, 0)
}

fn sample(root: &Value, schema: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    let inner = |schema: &Value| sample(root, schema, depth + 1);
    if let Some(referred) =
        schema.get("$ref").and_then(Value::as_str).and_then(|path| root.pointer(path.strip_prefix('#')?))
    {
        return inner(referred);
    }
    if let Some(fixed) = schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
        return fixed.clone();
    }
    if let Some(choice) = ["anyOf", "oneOf", "allOf"].iter().find_map(|name| schema.get(*name)?.get(0)) {
        return inner(choice);
    }
    let kind = schema.get("type").and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
    match kind {
        Some("string") => json!("text"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => {
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).min(100);
            let item = schema.get("items").map_or(Value::Null, inner);
            (0..least).map(|_| item.clone()).collect()
        }
        Some("null") => Value::Null,
        _ => Value::Object(members(schema, inner)),
    }
}

fn members(schema: &Value, inner: impl Fn(&Value) -> Value) -> Map<String, Value> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let wanted = properties.into_iter().flatten().filter(|(name, _)| required.contains(&name.as_str()));
    wanted.map(|(name, property)| (name.clone(), inner(property))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_schema() {
        let schema = json!({
            "type": "object",
            "required": ["city", "days", "unit", "tags", "near", "sure"],
            "properties": {
                "city": { "type": "string" },
                "days": { "type": ["integer", "null"], "minimum": 3 },
                "unit": { "enum": ["c", "f"] },
                "tags": { "type": "array", "items": { "type": "string" } },
                "near": { "$ref": "#/$defs/place" },
                "sure": { "type": "boolean" },
                "left_out": { "type": "string" },
            },
            "$defs": { "place": { "type": "object", "required": ["x"], "properties": { "x": { "type": "number" } } } },
        });
        let expected = json!({
            "city": "text", "days": 3, "unit": "c", "tags": ["text"], "near": { "x": 1 }, "sure": true,
        });
        assert_eq!(of(&schema), expected);
    }

    #[test]
    fn a_schema_that_holds_itself_ends() {
        let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": { "$ref": "#" } } });
        assert!(of(&schema).is_object());
    }
}
