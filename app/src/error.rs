//! What a server function answers when it fails: a problem, and what was typed.

use std::collections::BTreeMap;
use std::fmt;

use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};
use types::problem::{Code, Problem};

use crate::backend;

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
            ServerFnErrorErr::Request(_) => Code::Timeout,
            _ => Code::Internal,
        };
        let problem = Problem::new(code, error.to_string());
        // Arguments that cannot be read never reach the function that would say so.
        backend::refuse(&problem);
        problem.into()
    }
}
