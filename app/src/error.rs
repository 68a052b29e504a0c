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

/// A refusal or failure of a server function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppError {
    /// What went wrong.
    pub problem: Problem,
    /// What was typed into the form, field by field, so that a page without scripts can show it again. Never a secret: a form
    /// posted without scripts carries this back in its URL.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub typed: BTreeMap<String, String>,
    /// Whose page it was typed on, where the sign-in may lie between: nobody else gets to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

impl From<Problem> for AppError {
    fn from(problem: Problem) -> Self {
        Self { problem, typed: BTreeMap::new(), user: None }
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
        problem.into()
    }
}

/// What soit's own types say of an argument: they begin with the text in question, or with what it must be. What the
/// library says is for those who wrote the form.
fn own_words(error: &ServerFnErrorErr) -> Option<&str> {
    match error {
        ServerFnErrorErr::Args(reason) | ServerFnErrorErr::Deserialization(reason) if reason.starts_with('`') || reason.starts_with("must ") => Some(reason),
        _ => None,
    }
}
