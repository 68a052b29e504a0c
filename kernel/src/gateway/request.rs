//! What a door hands over: the operation, the body as it came, and the headers that mean something to soit.

use std::collections::BTreeMap;
use std::time::Duration;

use types::problem::Code;
use types::run::Capture;

use crate::{Error, Result};

/// Which operation is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A chat completion, whole or streamed.
    Chat,
    /// Embeddings.
    Embeddings,
}

impl Operation {
    /// The word of cost rows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Embeddings => "embedding",
        }
    }
}

/// A request for a model call, not looked at yet.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which operation.
    pub operation: Operation,
    /// The body's bytes.
    pub body: Vec<u8>,
    /// Every `x-soit-*`, `idempotency-key` and `prefer` header: name in lower case, and value.
    pub headers: Vec<(String, Vec<u8>)>,
}

/// What the headers ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// `x-soit-labels`: who is to be told apart in reports.
    pub(super) labels: BTreeMap<String, String>,
    /// `x-soit-timeout-ms`: may only shorten.
    pub(super) timeout: Option<Duration>,
    /// `x-soit-capture`: may only tighten.
    pub(super) capture: Option<Capture>,
    /// `idempotency-key`: the call is made once under it.
    pub(super) key: Option<String>,
    /// `prefer: wait=10`: how long to wait for the first request under the key.
    pub(super) patience: Option<Duration>,
}

const MAX_PATIENCE: Duration = Duration::from_secs(30);
/// Most labels of a call, and of a key.
pub(crate) const MAX_LABELS: usize = 10;
const MAX_LABEL_KEY: usize = 32;
/// Most characters of a label's value.
pub(crate) const MAX_LABEL_VALUE: usize = 64;

impl Options {
    pub(super) fn parse(headers: &[(String, Vec<u8>)]) -> Result<Self> {
        let mut options = Self::default();
        for (index, (name, value)) in headers.iter().enumerate() {
            if headers.iter().skip(index + 1).any(|(other, _)| other == name) {
                return Err(refuse(name, "is sent twice"));
            }
            let Ok(text) = std::str::from_utf8(value) else { return Err(refuse(name, "is not UTF-8")) };
            options.take(name, text.trim())?;
        }
        Ok(options)
    }

    fn take(&mut self, name: &str, text: &str) -> Result<()> {
        match name {
            "idempotency-key" => {
                check_idempotency_key(text)?;
                self.key = Some(text.to_owned());
                Ok(())
            }
            "prefer" => {
                self.patience = patience(text);
                Ok(())
            }
            "x-soit-labels" => {
                self.labels = labels(text).map_err(|what| refuse(name, what))?;
                Ok(())
            }
            "x-soit-timeout-ms" => {
                let millis: u64 = text.parse().map_err(|_| refuse(name, "must be a whole number of milliseconds"))?;
                if millis == 0 {
                    return Err(refuse(name, "must be at least 1"));
                }
                self.timeout = Some(Duration::from_millis(millis));
                Ok(())
            }
            "x-soit-capture" => {
                self.capture = Some(text.parse().map_err(|error| refuse(name, error))?);
                Ok(())
            }
            // It refuses what a target's wire cannot carry. Each target speaks the caller's, so that is nothing; who the
            // caller is, which no provider is told (`user`, `safety_identifier`, `metadata.user_id`), is left out anyway.
            "x-soit-strict" if matches!(text, "true" | "false") => Ok(()),
            "x-soit-strict" => Err(refuse(name, "must be `true` or `false`")),
            // Nothing is cached, which is what both words ask for.
            "x-soit-cache" if matches!(text, "off" | "refresh") => Ok(()),
            "x-soit-cache" => Err(refuse(name, "must be `off` or `refresh`")),
            _ => Err(refuse(name, "is not a header soit knows")),
        }
    }
}

fn refuse(header: &str, what: impl std::fmt::Display) -> Error {
    let code = if header == "idempotency-key" { Code::IdempotencyKeyInvalid } else { Code::Invalid };
    Error::new(code, format!("the header `{header}` {what}")).with_field(header, what.to_string())
}

fn check_idempotency_key(text: &str) -> Result<()> {
    let plain = text.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    if plain && (1..=255).contains(&text.len()) {
        return Ok(());
    }
    Err(refuse("idempotency-key", "must have 1 to 255 visible ASCII characters"))
}

/// The wait that a `Prefer` header asks for, up to 30 seconds. Other preferences are ignored, as RFC 7240 wants it.
pub fn patience(text: &str) -> Option<Duration> {
    let seconds =
        text.split(',').find_map(|preference| preference.trim().strip_prefix("wait="))?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(MAX_PATIENCE))
}

/// Whether a label may be called so: `[a-z][a-z0-9_]{0,31}`.
pub(crate) fn is_label_key(key: &str) -> bool {
    let mut letters = key.bytes();
    letters.next().is_some_and(|byte| byte.is_ascii_lowercase())
        && letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && key.len() <= MAX_LABEL_KEY
}

fn labels(text: &str) -> std::result::Result<BTreeMap<String, String>, &'static str> {
    let mut labels = BTreeMap::new();
    for pair in text.split(',') {
        let (key, value) = pair.trim().split_once('=').ok_or("must be pairs like `team=search,env=prod`")?;
        if !is_label_key(key) {
            return Err("has a key that is not `[a-z][a-z0-9_]{0,31}`");
        }
        let length = value.chars().count();
        if !(1..=MAX_LABEL_VALUE).contains(&length) || value.chars().any(char::is_control) {
            return Err("has a value that does not have 1 to 64 visible characters");
        }
        if labels.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err("names a key twice");
        }
    }
    if labels.len() > MAX_LABELS {
        return Err("has more than 10 labels");
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(headers: &[(&str, &str)]) -> Result<Options> {
        let headers: Vec<_> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
        Options::parse(&headers)
    }

    #[test]
    fn known_headers_are_read() {
        let options = parse(&[
            ("x-soit-labels", "team=search, env=prod"),
            ("x-soit-timeout-ms", "1500"),
            ("x-soit-capture", "metadata_only"),
            ("x-soit-strict", "true"),
            ("x-soit-cache", "off"),
            ("idempotency-key", "a-1"),
            ("prefer", "respond-async, wait=45"),
        ])
        .unwrap();
        assert_eq!((options.key.as_deref(), options.patience), (Some("a-1"), Some(Duration::from_secs(30))));
        assert_eq!(options.labels.get("env").map(String::as_str), Some("prod"));
        assert_eq!(options.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(options.capture, Some(Capture::MetadataOnly));
    }

    #[test]
    fn unknown_and_malformed_headers_are_refused() {
        for (name, value, code) in [
            ("x-soit-foo", "1", Code::Invalid),
            ("x-soit-labels", "team", Code::Invalid),
            ("x-soit-labels", "Team=a", Code::Invalid),
            ("x-soit-labels", "team=", Code::Invalid),
            ("x-soit-labels", "team=a,team=b", Code::Invalid),
            ("x-soit-timeout-ms", "soon", Code::Invalid),
            ("x-soit-timeout-ms", "0", Code::Invalid),
            ("x-soit-capture", "all", Code::Invalid),
            ("x-soit-strict", "yes", Code::Invalid),
            ("idempotency-key", "", Code::IdempotencyKeyInvalid),
            ("idempotency-key", "a b", Code::IdempotencyKeyInvalid),
        ] {
            let error = parse(&[(name, value)]).unwrap_err();
            assert_eq!((error.code(), error.field()), (code, Some(name)), "{name}: {value}");
        }
        let twice = parse(&[("idempotency-key", "a"), ("idempotency-key", "a")]).unwrap_err();
        assert_eq!(twice.code(), Code::IdempotencyKeyInvalid);
        let many: Vec<String> = (0..11).map(|index| format!("k{index}=v")).collect();
        assert!(parse(&[("x-soit-labels", &many.join(","))]).is_err());
        assert!(parse(&[("idempotency-key", &"k".repeat(256))]).is_err());
    }
}
