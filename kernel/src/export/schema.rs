//! The schema of what is taken out, as JSON Schema.

use serde_json::{Map, Value, json};
use types::export::RecordType;

use super::contract::fields;
use super::{Field, Kind};

/// The schema: a new optional field raises the second number, everything else the first.
pub const SCHEMA_VERSION: &str = "2.0";

/// What every line of a file holds: a record of one of the kinds, or the trailer.
pub fn schema() -> Value {
    let kinds = RecordType::ALL.iter().map(|kind| (kind.one().to_owned(), object(fields(*kind))));
    let mut records: Map<String, Value> = kinds.collect();
    records.insert("trailer".to_owned(), trailer());
    let line = |kind: &String| {
        json!({
            "type": "object",
            "properties": {
                "schema_version": { "const": SCHEMA_VERSION },
                "record_type": { "const": kind },
                "record": { "$ref": format!("#/$defs/{kind}") },
            },
            "required": ["schema_version", "record_type", "record"],
        })
    };
    let lines: Vec<Value> = records.keys().map(line).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a file that soit exports",
        "schema_version": SCHEMA_VERSION,
        "oneOf": lines,
        "$defs": records,
    })
}

fn number(about: &str) -> Value {
    json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "null" }], "description": about })
}

/// The last line of a file: by it the file is known to be whole. More may be told in it.
fn trailer() -> Value {
    json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer", "minimum": 0, "description": "Records in the file" },
            "sha256": { "type": "string", "description": "SHA-256 of every byte before this line, hex" },
            "first_chain_seq": number("The lowest number of the chain's entries that cover the records"),
            "last_chain_seq": number("The highest one"),
        },
        "required": ["count", "sha256"],
    })
}

fn object(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.name.to_owned(), described(field))).collect();
    let required: Vec<&str> = fields.iter().filter(|field| !field.is_nullable).map(|field| field.name).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn described(field: &Field) -> Value {
    let held = held(&field.kind);
    let mut schema = if field.is_nullable { json!({ "anyOf": [held, { "type": "null" }] }) } else { held };
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), json!(field.about));
    }
    schema
}

fn held(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Time => json!({ "type": "string", "format": "date-time" }),
        Kind::Count => json!({ "type": "integer", "minimum": 0 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Decimal => json!({ "type": "string", "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$" }),
        Kind::Object(fields) => object(fields),
        Kind::List(kind) => json!({ "type": "array", "items": held(kind) }),
        Kind::Map(kind) => json!({ "type": "object", "additionalProperties": held(kind) }),
        Kind::Document => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_tells_every_field_of_every_kind_in_its_order() {
        let schema = schema();
        assert_eq!(schema["schema_version"], SCHEMA_VERSION);
        for kind in RecordType::ALL {
            let properties = schema["$defs"][kind.one()]["properties"].as_object().unwrap();
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            let fields: Vec<&str> = fields(*kind).iter().map(|field| field.name).collect();
            assert_eq!(names, fields, "{kind}");
        }
        let run = &schema["$defs"]["run"];
        assert_eq!(
            run["properties"]["totals"]["properties"]["cost"]["items"]["required"],
            json!(["currency", "amount"])
        );
        let required = run["required"].as_array().unwrap();
        assert!(required.contains(&json!("id")) && !required.contains(&json!("ended_at")), "{run}");
    }

    #[test]
    fn no_kind_has_a_field_twice() {
        for kind in RecordType::ALL {
            let mut names: Vec<&str> = fields(*kind).iter().map(|field| field.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{kind}");
        }
    }
}
