//! Health over HTTP: anonymous, on both ports.

use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::body::Json;
use crate::compose::App;
use crate::health::{Readiness, Status};

/// `GET /health`: the process answers.
pub(super) async fn show_health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// `GET /health/ready`: the process can do its work.
pub(super) async fn show_readiness(State(app): State<App>) -> (StatusCode, Json<Readiness>) {
    let readiness = app.health.readiness();
    let status = match readiness.status {
        Status::Ready | Status::Degraded => StatusCode::OK,
        Status::NotReady => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(readiness))
}
