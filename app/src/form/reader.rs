//! Reads typed fields and gathers what is wrong with them.

use std::fmt::Display;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Map, Value};
use types::problem::{Code, FieldError, Problem};

use crate::error::Typed;

/// What was typed into a form, field by field: its texts, its lists as `a,b`, nothing for what is off, and the same of the
/// forms inside it.
pub(crate) fn typed(form: &impl Serialize) -> Typed {
    let mut typed = Typed::new();
    if let Ok(Value::Object(fields)) = serde_json::to_value(form) {
        gather(fields, &mut typed);
    }
    typed
}

fn gather(fields: Map<String, Value>, typed: &mut Typed) {
    for (field, value) in fields {
        match value {
            Value::String(text) => drop(typed.insert(field, text)),
            Value::Array(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                typed.insert(field, words.join(","));
            }
            Value::Object(fields) => gather(fields, typed),
            Value::Null => drop(typed.insert(field, String::new())),
            Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Gathers field errors while a form is read.
#[derive(Default)]
pub(crate) struct Reader {
    errors: Vec<FieldError>,
}

impl Reader {
    /// Names a wrong field.
    pub(crate) fn refuse(&mut self, field: &str, message: impl Display) {
        self.errors.push(FieldError { field: field.to_owned(), message: message.to_string() });
    }

    /// A field that must be there and must be read.
    pub(crate) fn required<T: FromStr<Err: Display>>(&mut self, field: &str, text: &str) -> Option<T> {
        match text.trim().parse() {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(field, error);
                None
            }
        }
    }

    /// A field that may be empty.
    pub(crate) fn optional<T: FromStr<Err: Display>>(&mut self, field: &str, text: &str) -> Option<T> {
        if text.trim().is_empty() { None } else { self.required(field, text) }
    }

    /// A whole number that may be empty. Grouping as in `10,000` or `10 000` is read as well.
    pub(crate) fn number<T: FromStr>(&mut self, field: &str, text: &str) -> Option<T> {
        let digits: String =
            text.chars().filter(|letter| !matches!(letter, ',' | '_' | ' ' | '\u{a0}' | '\u{202f}')).collect();
        if digits.is_empty() {
            return None;
        }
        let read = digits.parse().ok();
        if read.is_none() {
            self.refuse(field, "must be a whole number");
        }
        read
    }

    /// Words split at commas, spaces and lines; none when there are none.
    pub(crate) fn list(text: &str) -> Option<Vec<String>> {
        let words: Vec<String> =
            text.split([',', '\n', '\r', ' ', '\t']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        (!words.is_empty()).then_some(words)
    }

    /// The command, unless a field was refused.
    pub(crate) fn finish<T>(self, command: Option<T>) -> Result<T, Problem> {
        match command {
            Some(command) if self.errors.is_empty() => Ok(command),
            _ => {
                let mut problem = Problem::new(Code::Invalid, "some fields need attention");
                problem.errors = self.errors;
                Err(problem)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use types::name::Name;

    use super::*;

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", " ");
        let quota: Option<u64> = reader.number("quota", "many");
        let problem = reader.finish(name.zip(quota)).expect_err("two fields are wrong");
        let fields: Vec<&str> = problem.errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["name", "quota"]);
    }

    #[test]
    fn what_was_typed_is_known_by_field_also_of_a_form_inside() {
        let form = serde_json::json!({ "name": "n", "off": null, "can": ["a", "b"], "price": { "input": "1" } });
        let typed = typed(&form);
        let field = |name: &str| typed.get(name).map(String::as_str);
        assert_eq!(
            [field("name"), field("off"), field("can"), field("input")],
            [Some("n"), Some(""), Some("a,b"), Some("1")]
        );
    }

    #[test]
    fn numbers_may_be_grouped_and_lists_may_be_lines() {
        let mut reader = Reader::default();
        assert_eq!(reader.number::<u64>("n", "10,000 000"), Some(10_000_000));
        assert_eq!(reader.number::<u64>("n", "  "), None);
        assert_eq!(Reader::list("a, b\nc\r\n"), Some(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]));
        assert_eq!(Reader::list(" \n"), None);
        assert!(reader.finish(Some(())).is_ok());
    }
}
