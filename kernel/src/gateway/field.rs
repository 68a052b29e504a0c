//! Reading the fields of a body: each refusal names the field by its whole path.

use serde_json::{Map, Value};
use types::problem::Code;

use crate::{Error, Result};

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

/// An object of a body. A member that is null counts as absent.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// The members of the body itself.
    pub(super) fn of(body: &'a Map<String, Value>) -> Self {
        Self { map: body, path: String::new() }
    }

    /// The members of a value that must be an object, and lies at a path.
    pub(super) fn at(path: String, value: &'a Value) -> Result<Self> {
        match value {
            Value::Object(map) => Ok(Self { map, path }),
            _ => Err(Error::invalid(path, "must be an object")),
        }
    }

    /// The path of a member.
    pub(super) fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The refusal of a member.
    pub(super) fn wrong(&self, name: &str, what: impl Into<String>) -> Error {
        Error::invalid(self.path(name), what)
    }

    /// The values of all members.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.map.iter()
    }

    /// A member that is there and not null.
    pub(super) fn given(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// A member that must be there.
    pub(super) fn required(&self, name: &str) -> Result<&'a Value> {
        self.given(name).ok_or_else(|| self.wrong(name, "is required"))
    }

    /// A whole number within bounds.
    pub(super) fn whole(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>> {
        let Some(value) = self.given(name) else { return Ok(None) };
        match value.as_u64() {
            Some(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ => Err(self.wrong(name, format!("must be a whole number from {least} to {most}"))),
        }
    }

    /// A whole number.
    pub(super) fn integer(&self, name: &str) -> Result<()> {
        match self.given(name) {
            Some(value) if !value.is_i64() && !value.is_u64() => Err(self.wrong(name, "must be a whole number")),
            _ => Ok(()),
        }
    }

    /// A number within bounds.
    pub(super) fn between(&self, name: &str, least: f64, most: f64) -> Result<()> {
        match self.given(name).map(Value::as_f64) {
            None => Ok(()),
            Some(Some(number)) if (least..=most).contains(&number) => Ok(()),
            Some(_) => Err(self.wrong(name, format!("must be a number from {least} to {most}"))),
        }
    }

    /// True or false.
    pub(super) fn flag(&self, name: &str) -> Result<bool> {
        match self.given(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(name, "must be true or false")),
        }
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "must be a text")),
        }
    }

    /// A text that must be there and say something.
    pub(super) fn name(&self, name: &str) -> Result<&'a str> {
        match self.text(name)? {
            Some(text) if !text.is_empty() => Ok(text),
            Some(_) => Err(self.wrong(name, "must not be empty")),
            None => Err(self.wrong(name, "is required")),
        }
    }

    /// One of a few words.
    pub(super) fn word(&self, name: &str, words: &[&str]) -> Result<Option<&'a str>> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(word)) if words.contains(&word.as_str()) => Ok(Some(word)),
            Some(_) => Err(self.wrong(name, format!("must be one of {}", words.join(", ")))),
        }
    }

    /// One of a few words, which must be there.
    pub(super) fn required_word(&self, name: &str, words: &[&str]) -> Result<&'a str> {
        self.word(name, words)?.ok_or_else(|| self.wrong(name, "is required"))
    }

    /// An object.
    pub(super) fn object(&self, name: &str) -> Result<Option<Self>> {
        self.given(name).map(|value| Self::at(self.path(name), value)).transpose()
    }

    /// An object that must be there.
    pub(super) fn required_object(&self, name: &str) -> Result<Self> {
        Self::at(self.path(name), self.required(name)?)
    }

    /// A list.
    pub(super) fn list(&self, name: &str) -> Result<&'a [Value]> {
        match self.given(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(self.wrong(name, "must be a list")),
        }
    }

    /// A list of objects.
    pub(super) fn objects(&self, name: &str) -> Result<Vec<Self>> {
        let items = self.list(name)?.iter().enumerate();
        items.map(|(index, item)| Self::at(format!("{}[{index}]", self.path(name)), item)).collect()
    }

    /// Refuses fields that only a deployment's owners may use.
    pub(super) fn refuse_governed(&self) -> Result<()> {
        match GOVERNED.iter().find(|name| self.given(name).is_some()) {
            Some(name) => Err(self.not_allowed(name)),
            None => Ok(()),
        }
    }

    /// The refusal of a governed field.
    pub(super) fn not_allowed(&self, name: &str) -> Error {
        let field = self.path(name);
        let detail = format!("`{field}` is not allowed here: the provider account does not name it");
        Error::new(Code::FieldNotAllowed, detail).with_field(field, "is not allowed")
    }
}
