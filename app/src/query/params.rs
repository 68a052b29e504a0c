//! An ordered query string: read a value, change a value, write it back with everything else kept.

use std::fmt::{self, Write as _};

/// The pairs of a query string, in order, duplicates and unknown names kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Reads `a=1&b=2`, with or without a leading `?`. Garbage becomes text, never an error.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let query = query.strip_prefix('?').unwrap_or(query);
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name), decode(value))
        };
        Self(query.split('&').filter(|part| !part.is_empty()).map(pair).collect())
    }

    /// The first value of a name, unless it is empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, value)| known == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// The comma-separated words of a name.
    pub fn words(&self, name: &str) -> impl Iterator<Item = &str> {
        self.get(name).unwrap_or_default().split(',').filter(|word| !word.is_empty())
    }

    /// The pairs, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The same with one value for a name; an empty one removes it.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.0.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// The same without some names.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.0.retain(|(known, _)| !names.contains(&known.as_str()));
        self
    }

    /// The same with a word added to, or taken from, the comma-separated words of a name. A word and the same with a `!`
    /// before it, which means its opposite, take the place of each other.
    #[must_use]
    pub fn toggled(self, name: &str, word: &str) -> Self {
        let opposite = word.strip_prefix('!').map_or_else(|| format!("!{word}"), str::to_owned);
        let mut words: Vec<String> = self.words(name).filter(|known| *known != opposite).map(str::to_owned).collect();
        match words.iter().position(|known| known == word) {
            Some(index) => drop(words.remove(index)),
            None => words.push(word.to_owned()),
        }
        self.with(name, &words.join(","))
    }

    /// `?a=1&b=2`: the same page with these parameters.
    #[must_use]
    pub fn here(&self) -> String {
        format!("?{self}")
    }

    /// `path?a=1&b=2`, or the bare path when nothing is set. Parameters the path has already come first and give way to these.
    #[must_use]
    pub fn at(&self, path: &str) -> String {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        let mut all = Self::parse(query).without(&names);
        all.0.extend_from_slice(&self.0);
        if all.0.is_empty() { path.to_owned() } else { format!("{path}?{all}") }
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_char('&')?;
            }
            encode(name, f)?;
            f.write_char('=')?;
            encode(value, f)?;
        }
        Ok(())
    }
}

/// Writes a text so that it survives as one name or value of a query.
fn encode(text: &str, out: &mut impl fmt::Write) -> fmt::Result {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' | b',' | b'/' | b'*' | b'!' => {
                out.write_char(char::from(byte))?;
            }
            b' ' => out.write_char('+')?,
            _ => write!(out, "%{byte:02X}")?,
        }
    }
    Ok(())
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| text_of(tail.get(..2)?).and_then(|digits| u8::from_str_radix(digits, 16).ok()))
            .flatten();
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Two hexadecimal digits, and no sign that `from_str_radix` would take as well.
fn text_of(bytes: &[u8]) -> Option<&str> {
    bytes.iter().all(u8::is_ascii_hexdigit).then(|| std::str::from_utf8(bytes).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_survives_reading_and_writing() {
        for text in ["a=1&b=x+y&c=%E4%B8%AD", "f.status=failed,running&unknown=%26%3D", ""] {
            assert_eq!(Params::parse(text).to_string(), text);
        }
        assert_eq!(Params::parse("?q=a%2Bb").get("q"), Some("a+b"));
    }

    #[test]
    fn garbage_is_text() {
        for text in ["%", "%zz", "%+1", "&&=&", "%ff%fe"] {
            let _ = Params::parse(text).to_string();
        }
        assert_eq!(Params::parse("q=100%").get("q"), Some("100%"));
    }

    #[test]
    fn changing_one_value_keeps_the_others() {
        let params = Params::parse("x=1&f.status=failed&peek=run_1");
        assert_eq!(
            params.clone().toggled("f.status", "running").at("/runs"),
            "/runs?x=1&peek=run_1&f.status=failed,running"
        );
        assert_eq!(params.clone().toggled("f.status", "failed").at("/runs"), "/runs?x=1&peek=run_1");
        assert_eq!(params.clone().at("/runs?tz=UTC&x=2"), "/runs?tz=UTC&x=1&f.status=failed&peek=run_1");
        assert_eq!(params.without(&["peek", "x"]).to_string(), "f.status=failed");
    }

    #[test]
    fn a_word_and_its_opposite_take_the_place_of_each_other() {
        let toggled = |query: &str, word: &str| Params::parse(query).toggled("f.status", word).to_string();
        assert_eq!(toggled("", "!failed"), "f.status=!failed");
        assert_eq!(toggled("f.status=running,failed", "!failed"), "f.status=running,!failed");
        assert_eq!(toggled("f.status=running,!failed", "failed"), "f.status=running,failed");
        assert_eq!(toggled("f.status=running,%21failed", "!failed"), "f.status=running");
    }
}
