//! JSON for reading: indented and marked, token by token. It works on the text alone, so that one cut off in the middle still
//! reads well, and the server and the browser always agree.

use serde_json::Value;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// Punctuation and space.
    Plain,
    /// The name of a member.
    Key,
    /// A text.
    Str,
    /// A number.
    Num,
    /// `true`, `false`, `null`.
    Lit,
}

/// The pieces of a JSON object or array, indented by two; none where the text is something else.
pub(crate) fn json_tokens(text: &str) -> Option<Vec<(Token, String)>> {
    let text = text.trim();
    text.starts_with(['{', '[']).then(|| Printer::default().print(text))
}

/// A value as text with its members sorted: the same whatever order it was built in.
pub(crate) fn sorted_json(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members: Vec<String> = members
                .into_iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), sorted_json(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(sorted_json).collect::<Vec<_>>().join(",")),
        scalar => scalar.to_string(),
    }
}

#[derive(Default)]
struct Printer {
    pieces: Vec<(Token, String)>,
    depth: usize,
}

impl Printer {
    fn print(mut self, text: &str) -> Vec<(Token, String)> {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' => self.string(rest),
                '{' | '[' => self.open(rest, first),
                '}' | ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.line();
                    self.push(Token::Plain, first.to_string());
                    first.len_utf8()
                }
                ',' => {
                    self.push(Token::Plain, ",".to_owned());
                    self.line();
                    first.len_utf8()
                }
                ':' => {
                    self.push(Token::Plain, ": ".to_owned());
                    first.len_utf8()
                }
                space if space.is_whitespace() => space.len_utf8(),
                _ => self.word(rest),
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        self.pieces
    }

    fn push(&mut self, token: Token, text: String) {
        match self.pieces.last_mut() {
            Some((last, piece)) if *last == token && token == Token::Plain => piece.push_str(&text),
            _ => self.pieces.push((token, text)),
        }
    }

    fn line(&mut self) {
        self.push(Token::Plain, format!("\n{}", "  ".repeat(self.depth.min(40))));
    }

    /// An opening bracket; an empty pair stays on its line.
    fn open(&mut self, rest: &str, bracket: char) -> usize {
        let close = if bracket == '{' { '}' } else { ']' };
        let inner = rest.get(1..).unwrap_or_default();
        let blank = inner.len() - inner.trim_start().len();
        if inner.trim_start().starts_with(close) {
            self.push(Token::Plain, format!("{bracket}{close}"));
            return 1 + blank + 1;
        }
        self.push(Token::Plain, bracket.to_string());
        self.depth += 1;
        self.line();
        1
    }

    fn string(&mut self, rest: &str) -> usize {
        let mut escaped = false;
        let mut length = rest.len();
        for (index, letter) in rest.char_indices().skip(1) {
            if letter == '"' && !escaped {
                length = index + 1;
                break;
            }
            escaped = letter == '\\' && !escaped;
        }
        let is_key = rest.get(length..).is_some_and(|after| after.trim_start().starts_with(':'));
        let token = if is_key { Token::Key } else { Token::Str };
        self.push(token, rest.get(..length).unwrap_or_default().to_owned());
        length
    }

    fn word(&mut self, rest: &str) -> usize {
        let length = rest.find([',', ':', '}', ']', '{', '[', '"', ' ', '\n', '\r', '\t']).unwrap_or(rest.len()).max(1);
        // A word of one foreign letter may be wider than a byte.
        let length = (length..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let token = if word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-') {
            Token::Num
        } else {
            Token::Lit
        };
        self.push(token, word.to_owned());
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        json_tokens(json).expect("json").into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn json_is_indented_and_its_tokens_are_told_apart() {
        assert_eq!(text(r#"{"a":[1,{}],"b": "x"}"#), "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x\"\n}");
        let tokens = json_tokens(r#"{"a":-1.5,"b":null,"c":"d"}"#).expect("json");
        let of = |wanted: Token| {
            tokens.iter().filter(|(token, _)| *token == wanted).map(|(_, text)| text.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(of(Token::Key), ["\"a\"", "\"b\"", "\"c\""]);
        assert_eq!((of(Token::Num), of(Token::Lit), of(Token::Str)), (vec!["-1.5"], vec!["null"], vec!["\"d\""]));
    }

    #[test]
    fn what_is_cut_off_still_reads() {
        assert_eq!(text(r#"{"a":"long te"#), "{\n  \"a\": \"long te");
        assert_eq!(text(r#"["\"],"#), "[\n  \"\\\"],");
        assert_eq!(json_tokens("plain text"), None);
        for odd in ["{文:文}", "[", "{\u{a0}}", "}}}}", "[[[[\"\\"] {
            let _ = json_tokens(odd);
        }
    }

    #[test]
    fn members_are_sorted_at_every_depth() {
        let value: Value = serde_json::from_str(r#"{"b":[{"d":1,"c":"x"}],"a":null}"#).expect("json");
        assert_eq!(sorted_json(&value), r#"{"a":null,"b":[{"c":"x","d":1}]}"#);
    }
}
