//! A soit process made ready for calls: key, hard budget, priced model and ledger on.

use std::path::Path;
use std::process::Stdio;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::peer::{Target, free_port, wait_for};
use crate::wire;

/// Of the first person.
const PASSWORD: &str = "changeme123";

/// A REST caller on one port.
pub(crate) struct Rest {
    port: u16,
    pub(crate) token: String,
}

impl Rest {
    /// Nobody yet.
    pub(crate) fn anonymous(port: u16) -> Self {
        Self { port, token: String::new() }
    }

    /// The first person, with a fresh proof of who they are.
    pub(crate) async fn signed_in(port: u16) -> Result<Self, String> {
        let login = json!({"email": "admin@example.com", "password": PASSWORD});
        let token = word(&Self::anonymous(port).post("/api/v1/login", login).await?, "/access_token")?;
        let rest = Self { port, token };
        rest.post("/api/v1/me/step-up", json!({"password": PASSWORD})).await?;
        Ok(rest)
    }

    async fn send(&self, method: Method, path: &str, body: Value, if_match: Option<String>) -> Result<Value, String> {
        let text = |error: &dyn std::error::Error| format!("{method} {path}: {error}");
        let mut sender = wire::connect(self.port).await?;
        let mut request = Request::builder().method(method.clone()).uri(path).header("host", "127.0.0.1");
        request = request.header("content-type", "application/json");
        if !self.token.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token));
        }
        if let Some(tag) = if_match {
            request = request.header("if-match", format!("\"{tag}\""));
        }
        let body: Full<Bytes> = if body.is_null() { Full::default() } else { Full::from(body.to_string()) };
        let request = request.body(body).map_err(|error| text(&error))?;
        let answer = async {
            let answer = sender.send_request(request).await?;
            let status = answer.status();
            let bytes: Bytes = answer.into_body().collect().await?.to_bytes();
            Ok::<_, hyper::Error>((status, bytes))
        };
        let (status, bytes) = answer.await.map_err(|error| text(&error))?;
        if !status.is_success() {
            return Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&bytes)));
        }
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value, String> {
        self.send(Method::GET, path, Value::Null, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Result<Value, String> {
        self.send(Method::POST, path, body, None).await
    }
}

pub(crate) fn word(value: &Value, pointer: &str) -> Result<String, String> {
    value.pointer(pointer).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("no {pointer} in {value}"))
}

/// Starts soit on an empty data directory and sets everything up over its own API.
pub(crate) async fn start(binary: &Path, data: &Path, durability: &str, upstream: u16) -> Result<Target, String> {
    let (console, port) = (free_port()?, free_port()?);
    let child = Command::new(binary)
        .arg("serve")
        .env_clear()
        .env("ENVIRONMENT", "test")
        .env("DATA_DIR", data)
        .env("LISTEN_CONSOLE", format!("127.0.0.1:{console}"))
        .env("LISTEN_API", format!("127.0.0.1:{port}"))
        .env("LEDGER_DURABILITY", durability)
        .env("LOG_LEVEL", "warn")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    wait_for(port, "soit").await?;
    let rest = Rest::signed_in(port).await?;
    let path = "/api/v1/security/egress/workspace";
    let bundle = word(&rest.get(path).await?, "/bundle_id")?;
    let rules = json!({"rules": [{"schemes": ["http"], "host": "127.0.0.1", "ports": [upstream]}], "private_networks": ["127.0.0.0/8"]});
    rest.send(Method::PUT, path, rules, Some(bundle)).await?;
    for delay in [0, 20] {
        let provider = json!({"name": format!("Delay {delay}"), "slug": format!("delay-{delay}"), "kind": "openai_compatible",
            "base_url": format!("http://127.0.0.1:{upstream}/{delay}/v1"), "credential": "upstream-credential"});
        let provider = rest.post("/api/v1/modelhub/providers", provider).await?;
        let id = word(&provider, "/id").or_else(|_| word(&provider, "/item/id"))?;
        let pricing = json!({"currency": "USD", "rates": {"input": "0.15", "output": "0.6"}});
        let model = json!({"model_id": "bench", "max_output_tokens": 64, "pricing": pricing});
        rest.post(&format!("/api/v1/modelhub/providers/{id}/models"), model).await?;
    }
    let budget = json!({"name": "Bench", "scope_kind": "workspace", "period": "month", "currency": "USD", "amount": "1000000", "hard_stop": true});
    rest.post("/api/v1/billing/budgets", budget).await?;
    let key = rest.post("/api/v1/api-keys", json!({"name": "bench", "scopes": ["write"]})).await?;
    Ok(Target::soit(durability, port, &word(&key, "/api_key")?, child))
}
