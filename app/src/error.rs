//! What a server function answers when it fails: a problem, and what was typed.

use std::collections::BTreeMap;
use std::fmt;

use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};
use types::problem::{Code, Problem};

use crate::backend;

/// Largest form, in KiB: what the server takes of any body, unless a path allows more.
pub const MAX_FORM_KIB: usize = 64;

/// Most bytes of what was typed that an address carries, and of one message; most messages.
const MAX_TYPED: usize = 8 * 1024;
const MAX_MESSAGE: usize = 240;
const MAX_MESSAGES: usize = 20;

/// The fields of a form that say which thing it changes, and which version of it the form was filled in on.
pub(crate) const ID: &str = "id";
pub(crate) const VERSION: &str = "version";

/// What was typed, by field name.
pub type Typed = BTreeMap<String, String>;

/// A refusal or failure of a server function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppError {
    /// What went wrong.
    pub problem: Problem,
    /// What was typed into the form, field by field, so that a page without scripts can show it again. Never a secret: a form
    /// posted without scripts carries this back in its URL.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub typed: Typed,
    /// The fields whose text was too long to be given back whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
    /// Whose page it was typed on, where the sign-in may lie between: nobody else gets to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Whether its reader has proved meanwhile who they are, where that was asked for without scripts; else why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proven: Option<Result<(), Code>>,
}

impl From<Problem> for AppError {
    fn from(problem: Problem) -> Self {
        Self { problem, typed: Typed::new(), cut: Vec::new(), user: None, proven: None }
    }
}

impl AppError {
    /// The same as far as an address can carry it. Texts stay whole where all of them fit; else the longest are cut, and named.
    #[must_use]
    pub fn for_address(mut self) -> Self {
        cut(&mut self.problem.detail, MAX_MESSAGE);
        self.problem.errors.truncate(MAX_MESSAGES);
        for wrong in &mut self.problem.errors {
            cut(&mut wrong.message, MAX_MESSAGE);
        }
        let (mut room, count) = (MAX_TYPED, self.typed.len());
        let mut fields: Vec<_> = self.typed.iter_mut().collect();
        fields.sort_by_key(|(_, text)| size(text));
        for (index, (field, text)) in fields.into_iter().enumerate() {
            if cut(text, room / (count - index)) {
                self.cut.push(field.clone());
            }
            room -= size(text);
        }
        self
    }
}

/// What a form gives back that changes what it shows: what was changed in it, and what it was filled in on. A field that was
/// left as it was seen shows what is stored by then.
#[must_use]
pub fn changed(mut typed: Typed, seen: &Typed, id: Option<String>, version: String) -> Typed {
    typed.retain(|field, text| seen.get(field) != Some(text));
    typed.extend(id.map(|id| (ID.to_owned(), id)));
    typed.insert(VERSION.to_owned(), version);
    typed
}

/// Cuts a text to a size; whether that was needed.
fn cut(text: &mut String, most: usize) -> bool {
    let mut used = 0;
    let end = text.char_indices().find_map(|(index, letter)| {
        used += letter_size(letter);
        (used > most).then_some(index)
    });
    if let Some(end) = end {
        text.truncate(end);
    }
    end.is_some()
}

/// Bytes of a text in JSON.
fn size(text: &str) -> usize {
    text.chars().map(letter_size).sum()
}

fn letter_size(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        letter if letter.is_control() => 6,
        letter => letter.len_utf8(),
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for AppError {}

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        let code = match &error {
            ServerFnErrorErr::Args(_)
            | ServerFnErrorErr::MissingArg(_)
            | ServerFnErrorErr::UnsupportedRequestMethod(_) => Code::Invalid,
            // What axum says of a body over its limit; the library has no word of its own for it.
            ServerFnErrorErr::Deserialization(reason) if reason.contains("length limit exceeded") => Code::TooLarge,
            // At the server it is the request that cannot be read, in a browser the answer.
            ServerFnErrorErr::Deserialization(_) if cfg!(feature = "ssr") => Code::Invalid,
            ServerFnErrorErr::Request(_) => Code::Timeout,
            _ => Code::Internal,
        };
        let detail = match (code, own_words(&error)) {
            (Code::Invalid, Some(own)) => format!("the form cannot be read: {own}"),
            (Code::Invalid, None) => "the form cannot be read, load the page anew and send it again".to_owned(),
            (Code::TooLarge, _) => format!("the form is larger than {MAX_FORM_KIB} KiB, shorten what is typed into it"),
            (Code::Timeout, _) => "the server does not answer, try again".to_owned(),
            _ => "something went wrong inside soit".to_owned(),
        };
        let problem = Problem::new(code, detail);
        // Arguments that cannot be read never reach the function that would say so.
        backend::refuse(&problem);
        Self::from(problem).for_address()
    }
}

/// What soit's own types say of an argument: they begin with the text in question, or with what it must be. What the
/// library says is for those who wrote the form.
fn own_words(error: &ServerFnErrorErr) -> Option<&str> {
    match error {
        ServerFnErrorErr::Args(reason) | ServerFnErrorErr::Deserialization(reason)
            if reason.starts_with('`') || reason.starts_with("must ") =>
        {
            Some(reason)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(fields: &[(&str, usize, char)]) -> AppError {
        let typed =
            fields.iter().map(|(field, count, letter)| ((*field).to_owned(), letter.to_string().repeat(*count)));
        AppError { typed: typed.collect(), ..AppError::from(Problem::new(Code::Invalid, "x".repeat(9_000))) }
            .for_address()
    }

    #[test]
    fn what_fits_an_address_stays_whole() {
        let error = refused(&[("a", 7_900, 'x'), ("b", 100, 'é'), ("c", 0, 'x')]);
        assert_eq!((error.typed["a"].len(), error.typed["b"].len(), error.cut.len()), (7_900, 200, 0));
    }

    #[test]
    fn the_longest_are_cut_and_named_and_the_rest_stays_whole() {
        let error = refused(&[("a", 60_000, 'é'), ("b", 30, 'x'), ("c", 50_000, '\u{1}')]);
        assert_eq!((error.typed["b"].len(), error.cut.as_slice()), (30, ["a".to_owned(), "c".to_owned()].as_slice()));
        assert!(serde_json::to_string(&error).expect("JSON").len() < 9 * 1024);
        assert!(!error.typed["a"].is_empty() && !error.typed["c"].is_empty());
    }

    #[test]
    fn a_field_that_was_left_alone_is_not_given_back() {
        let of = |fields: [(&str, &str); 2]| -> Typed {
            fields.into_iter().map(|(field, text)| (field.to_owned(), text.to_owned())).collect()
        };
        let seen = of([("name", "old"), ("amount", "5")]);
        let typed = changed(of([("name", "mine"), ("amount", "5")]), &seen, None, "3".to_owned());
        assert_eq!(typed, of([("name", "mine"), (VERSION, "3")]));
    }
}
