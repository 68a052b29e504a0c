//! Reading single fields of a body: each refusal names the field.

use serde_json::{Map, Value};
use types::problem::Code;

use crate::{Error, Result};

/// A field that must be there.
pub(super) fn required<'a>(map: &'a Map<String, Value>, name: &str) -> Result<&'a Value> {
    given(map, name).ok_or_else(|| Error::invalid(name, "is required"))
}

/// A field that is there and not null.
pub(super) fn given<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    map.get(name).filter(|value| !value.is_null())
}

/// A whole number within bounds.
pub(super) fn whole(map: &Map<String, Value>, name: &str, least: u64, most: u64) -> Result<Option<u64>> {
    let Some(value) = given(map, name) else { return Ok(None) };
    match value.as_u64() {
        Some(number) if (least..=most).contains(&number) => Ok(Some(number)),
        _ => Err(Error::invalid(name, format!("must be a whole number from {least} to {most}"))),
    }
}

/// A number within bounds.
pub(super) fn between(map: &Map<String, Value>, name: &str, least: f64, most: f64) -> Result<()> {
    match given(map, name).map(Value::as_f64) {
        None => Ok(()),
        Some(Some(number)) if (least..=most).contains(&number) => Ok(()),
        Some(_) => Err(Error::invalid(name, format!("must be a number from {least} to {most}"))),
    }
}

/// True or false.
pub(super) fn flag(map: &Map<String, Value>, name: &str) -> Result<bool> {
    match given(map, name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(Error::invalid(name, "must be true or false")),
    }
}

/// An object.
pub(super) fn object<'a>(map: &'a Map<String, Value>, name: &str) -> Result<Option<&'a Map<String, Value>>> {
    match given(map, name) {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(Error::invalid(name, "must be an object")),
    }
}

/// A whole number.
pub(super) fn integer(map: &Map<String, Value>, name: &str) -> Result<()> {
    match given(map, name) {
        Some(value) if !value.is_i64() && !value.is_u64() => Err(Error::invalid(name, "must be a whole number")),
        _ => Ok(()),
    }
}

/// A text.
pub(super) fn text<'a>(map: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>> {
    match given(map, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::invalid(name, "must be a text")),
    }
}

/// A list.
pub(super) fn list<'a>(map: &'a Map<String, Value>, name: &str) -> Result<&'a [Value]> {
    match given(map, name) {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(Error::invalid(name, "must be a list")),
    }
}

/// The model's name.
pub(super) fn model(map: &Map<String, Value>) -> Result<String> {
    match required(map, "model")? {
        Value::String(name) if !name.is_empty() => Ok(name.clone()),
        _ => Err(Error::invalid("model", "must be the name of a model")),
    }
}

/// Refuses fields that only a deployment's owners may use.
pub(super) fn refuse_governed(map: &Map<String, Value>, names: &[&'static str]) -> Result<()> {
    match names.iter().find(|name| given(map, name).is_some()) {
        Some(name) => Err(not_allowed(*name)),
        None => Ok(()),
    }
}

/// The refusal of a governed field.
pub(super) fn not_allowed(field: impl Into<String>) -> Error {
    let field = field.into();
    Error::new(Code::FieldNotAllowed, format!("`{field}` is not allowed here: the provider account does not name it"))
        .with_field(field, "is not allowed")
}
