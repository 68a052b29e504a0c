//! What every door takes for JSON: an object, in UTF-8, not too deep, whose every object names each key once.

use std::collections::HashSet;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Deserializer, Map, Value};
use types::problem::Code;

use crate::{Error, Result};

/// How deep objects and arrays may lie in each other.
const MAX_DEPTH: usize = 128;
/// The key under which `serde_json` itself hands numbers around: an object of that key would turn into a number.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// The object in the bytes. Key order and the text of numbers are kept.
pub fn object(bytes: &[u8]) -> Result<Map<String, Value>> {
    let text = std::str::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8"))?;
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => {
            check_keys(text)?;
            Ok(map)
        }
        Ok(_) => Err(invalid("it must be an object")),
        // The parser stops one level before our limit. Skipping a value has no such limit, so it tells what is JSON.
        Err(error) if error.is_syntax() && text.trim_start().starts_with('{') && is_json(text) => {
            check_keys(text)?;
            by_member(text).ok_or_else(|| invalid(error))
        }
        Err(error) => Err(invalid(error)),
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Reads an object member by member, each of which may be as deep as the parser goes.
fn by_member(text: &str) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    let mut rest = text.trim_start().strip_prefix('{')?;
    loop {
        let key = next(&mut rest)?;
        rest = rest.trim_start().strip_prefix(':')?;
        map.insert(key, next(&mut rest)?);
        match rest.trim_start().strip_prefix(',') {
            Some(more) => rest = more,
            None => return Some(map),
        }
    }
}

/// Takes one value off the front of a text.
fn next<T: DeserializeOwned>(rest: &mut &str) -> Option<T> {
    let text = *rest;
    let mut values = Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    *rest = text.get(values.byte_offset()..)?;
    Some(value)
}

fn invalid(why: impl std::fmt::Display) -> Error {
    Error::new(Code::InvalidJson, format!("the body is not the JSON wanted: {why}"))
}

/// Looks at every key of a text that is known to be JSON.
fn check_keys(text: &str) -> Result<()> {
    // One set of keys for each open object, none for an open array.
    let mut open: Vec<Option<HashSet<String>>> = Vec::new();
    let mut at_key = false;
    let mut rest = text;
    while let Some(start) = rest.find(['{', '}', '[', ']', ',', '"']) {
        let (byte, after) = (rest.as_bytes().get(start).copied(), rest.get(start + 1..).unwrap_or_default());
        rest = after;
        match byte {
            Some(b'{') => open.push(Some(HashSet::new())),
            Some(b'[') => open.push(None),
            Some(b'}' | b']') => drop(open.pop()),
            Some(b'"') => {
                let end = end_of_string(after);
                let literal = after.get(..end).unwrap_or_default();
                rest = after.get(end + 1..).unwrap_or_default();
                if let (true, Some(Some(keys))) = (at_key, open.last_mut()) {
                    note_key(keys, unescape(literal))?;
                }
            }
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            return Err(invalid(format_args!("it is nested deeper than {MAX_DEPTH}")));
        }
        // A key follows an opening brace, or a comma inside an object.
        at_key = matches!(byte, Some(b'{')) || (matches!(byte, Some(b',')) && matches!(open.last(), Some(Some(_))));
    }
    Ok(())
}

fn note_key(keys: &mut HashSet<String>, key: String) -> Result<()> {
    if key == NUMBER_KEY {
        return Err(invalid(format_args!("`{NUMBER_KEY}` is no usable key")));
    }
    let shown: String = key.chars().take(80).collect();
    if keys.insert(key) {
        return Ok(());
    }
    Err(Error::new(Code::DuplicateKey, format!("an object names `{shown}` twice")).with_field(shown, "is there twice"))
}

/// Where the string that has begun ends.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let closing = text.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    closing.unwrap_or(text.len())
}

fn unescape(literal: &str) -> String {
    if literal.contains('\\') {
        serde_json::from_str(&format!("\"{literal}\"")).unwrap_or_else(|_| literal.to_owned())
    } else {
        literal.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<Code> {
        object(text.as_bytes()).err().map(|error| error.code())
    }

    #[test]
    fn order_and_numbers_survive() {
        let text = r#"{"z":1,"a":123456789012345678901234567890,"b":1.0,"c":1e+2,"n":{"x":[1,{"y":null}]}}"#;
        let map = object(text.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&map).unwrap(), text);
    }

    #[test]
    fn a_key_twice_is_refused_however_it_is_written() {
        for text in
            [r#"{"model":"a","model":"b"}"#, r#"{"a":{"b":1,"\u0062":2}}"#, r#"{"x":[{"k":"}"},{"k":1,"k":2}]}"#]
        {
            assert_eq!(code(text), Some(Code::DuplicateKey), "{text}");
        }
        for text in [r#"{"a":{"a":1},"b":["a","a",{"a":"a"}]}"#, r#"{"a":"\\","b":"\"a\":"}"#] {
            assert_eq!(code(text), None, "{text}");
        }
    }

    /// An object whose member `a` makes it so deep; `open` and `close` are one level of it.
    fn nested(depth: usize, open: &str, close: &str) -> String {
        format!(r#"{{"b":[1, "]"],"a":{}1{} , "c":true}}"#, open.repeat(depth - 1), close.repeat(depth - 1))
    }

    #[test]
    fn a_body_may_be_as_deep_as_the_limit_and_no_deeper() {
        for (open, close) in [("[", "]"), (r#"{"x":"#, "}")] {
            for depth in [MAX_DEPTH - 1, MAX_DEPTH] {
                let text = nested(depth, open, close);
                let map = object(text.as_bytes()).unwrap();
                assert_eq!(serde_json::to_string(&map).unwrap(), text.replace(' ', ""), "{depth}");
            }
            for depth in [MAX_DEPTH + 1, 100_000] {
                let error = object(nested(depth, open, close).as_bytes()).unwrap_err();
                assert_eq!(error.code(), Code::InvalidJson);
                assert!(error.detail().contains("nested deeper than 128"), "{}", error.detail());
            }
        }
    }

    #[test]
    fn what_is_deep_is_read_as_strictly_as_the_rest() {
        let deep = nested(MAX_DEPTH, "[", "]");
        let twice = deep.replacen("\"c\"", "\"a\"", 1);
        assert_eq!(code(&twice), Some(Code::DuplicateKey));
        for text in
            [deep.replacen("true", "tru", 1), deep.replacen("1, ", "1 ", 1), format!("{deep}x"), format!("[{deep}]")]
        {
            assert_eq!(code(&text), Some(Code::InvalidJson), "{text}");
        }
        assert_eq!(code(&deep.replacen("\"]\"", "\"\\ud800\"", 1)), Some(Code::InvalidJson), "half a character");
    }

    #[test]
    fn what_is_no_plain_object_is_refused() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
        let number = r#"{"a":{"$serde_json::private::Number":"1"}}"#;
        for text in ["", "[]", "1", "{", r#"{"a":NaN}"#, r#"{"a":1}x"#, deep.as_str(), number] {
            assert_eq!(code(text), Some(Code::InvalidJson), "{text}");
        }
        assert_eq!(object(b"{\"a\":\"\xff\"}").unwrap_err().code(), Code::InvalidJson);
    }
}
