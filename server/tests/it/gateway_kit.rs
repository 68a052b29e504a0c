//! A workspace with a scripted upstream on loopback: an account, models with prices, the egress rule that lets it out.

use serde_json::{Value, json};
use testkit::upstream::Upstream;

use crate::util::test_app::{Answer, Caller, TestApp};

/// What tests of model calls stand on.
pub(crate) struct Kit {
    pub(crate) app: TestApp,
    pub(crate) admin: Caller,
    pub(crate) key: Caller,
    pub(crate) upstream: Upstream,
    provider_id: String,
}

/// The credential of the account: must not be found anywhere.
pub(crate) const CANARY: &str = "canary-7f3a-credential";

impl Kit {
    /// With the way out open.
    pub(crate) async fn new(app: TestApp) -> Self {
        let kit = Self::closed(app).await;
        kit.open().await;
        kit
    }

    /// Without an egress rule.
    pub(crate) async fn closed(app: TestApp) -> Self {
        let upstream = Upstream::start().await.expect("an upstream");
        let admin = app.admin().await;
        let key = app.key(&["write"]).await;
        let account = json!({
            "name": "Upstream", "slug": "up", "kind": "openai_compatible",
            "base_url": upstream.base_url(), "credential": CANARY,
        });
        let account = admin.post("/api/v1/modelhub/providers", account).await.expect(201);
        let provider_id = account["id"].as_str().expect("an id").to_owned();
        Self { app, admin, key, upstream, provider_id }
    }

    /// Adds the egress rule the account's form offers.
    pub(crate) async fn open(&self) {
        let account = self.admin.get(&format!("/api/v1/modelhub/providers/{}", self.provider_id)).await.expect(200);
        let offer = &account["egress"];
        let path = "/api/v1/security/egress/workspace";
        let present = self.admin.get(path).await;
        let admin = self.admin.clone().header(http::header::IF_MATCH, present.header("etag"));
        let layer = json!({ "rules": [offer["rule"]], "private_networks": offer["private_networks"] });
        admin.send(http::Method::PUT, path, Some(layer)).await.expect(200);
    }

    /// Adds a model that does what its name says; 1 a million tokens in, 2 out.
    pub(crate) async fn model(&self, name: &str) -> String {
        let pricing = json!({ "currency": "USD", "rates": { "input": "1", "output": "2" } });
        let capabilities = json!(["chat", "stream", "tools", "embedding"]);
        let model = json!({ "model_id": name, "capabilities": capabilities, "pricing": pricing });
        let path = format!("/api/v1/modelhub/providers/{}/models", self.provider_id);
        let made = self.admin.post(&path, model).await.expect(201);
        made["model_ref"].as_str().expect("a ref").to_owned()
    }

    /// Changes the account.
    pub(crate) async fn set_account(&self, change: Value) {
        let path = format!("/api/v1/modelhub/providers/{}", self.provider_id);
        let present = self.admin.get(&path).await;
        let admin = self.admin.clone().header(http::header::IF_MATCH, present.header("etag"));
        admin.send(http::Method::PATCH, &path, Some(change)).await.expect(200);
    }

    /// Changes a model.
    pub(crate) async fn set_model(&self, model_ref: &str, change: Value) {
        let models = format!("/api/v1/modelhub/providers/{}/models", self.provider_id);
        let listed = self.admin.get(&models).await.expect(200);
        let listed = listed["items"].as_array().expect("items").clone();
        let model = listed.iter().find(|model| model["model_ref"] == model_ref).expect("the model");
        let path = format!("{models}/{}", model["id"].as_str().expect("an id"));
        let present = self.admin.get(&path).await;
        let admin = self.admin.clone().header(http::header::IF_MATCH, present.header("etag"));
        admin.send(http::Method::PATCH, &path, Some(change)).await.expect(200);
    }

    /// Asks a model for a few words, whole.
    pub(crate) async fn ask(&self, model: &str, prompt: &str) -> Answer {
        self.key.post("/v1/chat/completions", chat(model, prompt)).await
    }

    /// Asks a model for a few words, streamed.
    pub(crate) async fn ask_stream(&self, model: &str, prompt: &str) -> Answer {
        let mut body = chat(model, prompt);
        body["stream"] = json!(true);
        self.key.post("/v1/chat/completions", body).await
    }

    /// The run an answer names, once it is over.
    pub(crate) async fn run_of(&self, answer: &Answer) -> Value {
        self.run(answer.header("x-soit-run-id")).await
    }

    /// A run that must be over.
    pub(crate) async fn run(&self, id: &str) -> Value {
        let run = self.admin.get(&format!("/api/v1/runs/{id}")).await.expect(200);
        assert!(run["ended_at"].is_string(), "{run}");
        run
    }

    /// Something that belongs to a run: `steps` or `costs`.
    pub(crate) async fn of_run(&self, id: &str, what: &str) -> Vec<Value> {
        let page = self.admin.get(&format!("/api/v1/runs/{id}/{what}")).await.expect(200);
        page["items"].as_array().expect("items").clone()
    }

    /// The workspace's runs, newest first.
    pub(crate) async fn runs(&self) -> Vec<Value> {
        let page = self.admin.get("/api/v1/runs?limit=200").await.expect(200);
        page["items"].as_array().expect("items").clone()
    }

    /// Waits until no call goes on in this process.
    pub(crate) async fn quiet(&self) {
        while self.app.app.gateway.calls_in_flight() > 0 {
            tokio::task::yield_now().await;
        }
    }
}

/// A chat of one message.
pub(crate) fn chat(model: &str, prompt: &str) -> Value {
    json!({ "model": model, "max_tokens": 50, "messages": [{ "role": "user", "content": prompt }] })
}

/// The data of each event of a stream.
pub(crate) fn events(answer: &Answer) -> Vec<String> {
    let events = answer.text.split("\n\n").filter(|event| !event.is_empty());
    events.map(|event| event.strip_prefix("data: ").unwrap_or(event).to_owned()).collect()
}
