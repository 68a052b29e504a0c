//! OpenAI's error envelope: what every refusal below `/v1` looks like.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::{Map, Value, json};
use types::problem::{Code, Problem};

use crate::compose::App;
use crate::http::frame::RUN_ID;
use crate::http::problem::Error;

const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Writes the problem an answer carries as the envelope.
pub(super) async fn wrap(State(app): State<App>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    write(&app, response)
}

/// The same answer, with the problem it may carry as the envelope.
pub(in crate::http) fn write(app: &App, mut response: Response) -> Response {
    let Some(Error(problem)) = response.extensions_mut().remove::<Error>() else { return response };
    app.metrics.gates.refused(problem.code);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(SHOULD_RETRY, HeaderValue::from_static(if should_retry(&problem) { "true" } else { "false" }));
    if let Some(run_id) = problem.run_id.and_then(|run_id| HeaderValue::from_str(&run_id.to_string()).ok()) {
        headers.insert(RUN_ID, run_id);
    }
    *response.body_mut() = Body::from(of(&problem).to_string());
    response
}

/// The envelope of a problem.
pub(super) fn of(problem: &Problem) -> Value {
    let mut error = Map::new();
    error.insert("message".to_owned(), json!(message(problem)));
    error.insert("type".to_owned(), json!(error_type(problem.status)));
    error.insert("param".to_owned(), json!(problem.errors.first().map(|wrong| &wrong.field)));
    error.insert("code".to_owned(), json!(problem.code));
    let resets_at = problem.limit.as_ref().map(|limit| limit.resets_at);
    let resets_at = resets_at.or_else(|| problem.budget.as_ref().and_then(|budget| budget.resets_at));
    let known = [
        ("run_id", json!(problem.run_id)),
        ("reason", json!(problem.reason)),
        ("limit", json!(problem.limit)),
        ("budget", json!(problem.budget)),
        ("resets_at", json!(resets_at)),
    ];
    error.extend(known.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)));
    for about in [json!(problem.egress), json!(problem.unpriced)] {
        if let Value::Object(members) = about {
            error.extend(members);
        }
    }
    json!({ "error": error })
}

/// The explanation; of a wrong value, which field and what is wrong with it.
fn message(problem: &Problem) -> String {
    match (problem.code, problem.errors.first()) {
        (Code::Invalid, Some(wrong)) => format!("`{}` {}", wrong.field, wrong.message),
        _ => problem.detail.clone(),
    }
}

const fn error_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "insufficient_quota",
        403 => "permission_error",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}

/// Whether a client does well to send the same again soon.
fn should_retry(problem: &Problem) -> bool {
    match problem.code {
        Code::QuotaExceeded => false,
        Code::BudgetExhausted => problem.retry_after.is_some(),
        code => code.is_retryable(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_names_type_param_and_code() {
        let problem = kernel::Error::invalid("messages[0].role", "is required").problem();
        assert_eq!(
            of(&problem),
            json!({ "error": {
                "message": "`messages[0].role` is required",
                "type": "invalid_request_error",
                "param": "messages[0].role",
                "code": "invalid",
            } })
        );
    }

    #[test]
    fn every_code_has_the_type_of_its_status() {
        for (code, expected) in [
            (Code::InvalidCredentials, "authentication_error"),
            (Code::BudgetExhausted, "insufficient_quota"),
            (Code::ModelNotAllowed, "permission_error"),
            (Code::ModelNotFound, "invalid_request_error"),
            (Code::ModelDisabled, "invalid_request_error"),
            (Code::RateLimited, "rate_limit_error"),
            (Code::UpstreamError, "api_error"),
            (Code::Timeout, "api_error"),
        ] {
            assert_eq!(error_type(code.status()), expected, "{code}");
        }
    }

    #[test]
    fn only_what_passes_by_itself_is_worth_a_retry() {
        for (code, expected) in [
            (Code::RateLimited, true),
            (Code::QuotaExceeded, false),
            (Code::BudgetExhausted, false),
            (Code::UpstreamError, true),
            (Code::Invalid, false),
        ] {
            assert_eq!(should_retry(&Problem::new(code, "")), expected, "{code}");
        }
        let held = kernel::Error::new(Code::BudgetExhausted, "").with_retry_after(1).problem();
        assert!(should_retry(&held));
    }
}
