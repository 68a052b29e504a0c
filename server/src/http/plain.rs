//! Messages of the libraries that read texts and JSON, in soit's words: what is wanted instead.

use std::borrow::Cow;

/// The message as the outside is told it; soit's own stay as they are.
pub(super) fn plain(message: &str) -> Cow<'_, str> {
    let known = match message {
        // Nothing here is read as a number that may be negative.
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "must be a whole number, 0 or more"
        }
        "number too large to fit in target type"
        | "number too small to fit in target type"
        | "invalid number"
        | "number out of range" => "must be a whole number of a usual size",
        "provided string was not `true` or `false`" => "must be `true` or `false`",
        "input contains invalid characters"
        | "premature end of input"
        | "input is out of range"
        | "input is not enough for unique date and time"
        | "trailing input" => "must be a time like `2026-01-15T12:00:00Z`",
        _ => return of_serde(message).map_or(Cow::Borrowed(message), Cow::Owned),
    };
    Cow::Borrowed(known)
}

fn of_serde(message: &str) -> Option<String> {
    if message.starts_with("missing field `") {
        return Some("is required".to_owned());
    }
    if message.starts_with("duplicate field `") {
        return Some("is given twice".to_owned());
    }
    if message.starts_with("unknown field `") {
        let expected = message.split_once(", expected ").map(|(_, expected)| expected);
        return Some(match expected.map(|expected| expected.strip_prefix("one of ").unwrap_or(expected)) {
            Some(known) => format!("is not known here, use {known}"),
            None => "is not known here, leave it out".to_owned(),
        });
    }
    let wrong = ["invalid type: ", "invalid value: ", "invalid length "].iter().any(|start| message.starts_with(start));
    let (_, expected) = message.rsplit_once(", expected ").filter(|_| wrong)?;
    Some(format!("must be {}", noun(expected)))
}

/// What serde's visitors call what they want.
fn noun(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" => "a whole number of a usual size",
        "a boolean" => "`true` or `false`",
        "a string" | "a borrowed string" | "string or bytes" => "a text",
        "a sequence" => "a list",
        "a map" => "an object",
        structure if structure.starts_with("struct ") => "an object",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Form {
        #[expect(dead_code, reason = "only read by serde")]
        count: u16,
        #[expect(dead_code, reason = "only read by serde")]
        list: Option<Vec<bool>>,
    }

    #[test]
    fn what_libraries_say_is_said_in_plain_words() {
        let number = |text: &str| text.parse::<u16>().expect_err("no number").to_string();
        let time = |text: &str| text.parse::<DateTime<Utc>>().expect_err("no time").to_string();
        let json = |value| serde_json::from_value::<Form>(value).expect_err("no form").to_string();
        let boolean = "yes".parse::<bool>().expect_err("no boolean").to_string();
        for (message, told) in [
            (number("x"), "must be a whole number, 0 or more"),
            (number("-1"), "must be a whole number, 0 or more"),
            (number(""), "must be a whole number, 0 or more"),
            (number("70000"), "must be a whole number of a usual size"),
            (boolean, "must be `true` or `false`"),
            (time("yesterday"), "must be a time like `2026-01-15T12:00:00Z`"),
            (time("2026-01-15"), "must be a time like `2026-01-15T12:00:00Z`"),
            (time("2026-13-15T12:00:00Z"), "must be a time like `2026-01-15T12:00:00Z`"),
            (json(serde_json::json!({})), "is required"),
            (json(serde_json::json!({ "count": 1, "cuont": 1 })), "is not known here, use `count` or `list`"),
            (json(serde_json::json!({ "count": "1" })), "must be a whole number of a usual size"),
            (json(serde_json::json!({ "count": 70_000 })), "must be a whole number of a usual size"),
            (json(serde_json::json!({ "count": 1, "list": 1 })), "must be a list"),
            (json(serde_json::json!({ "count": 1, "list": [1] })), "must be `true` or `false`"),
            (json(serde_json::json!(1)), "must be an object"),
            ("must be 1 to 9".to_owned(), "must be 1 to 9"),
        ] {
            assert_eq!(plain(&message), told, "{message}");
        }
    }
}
