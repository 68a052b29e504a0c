//! What every request gets, whatever it asks for.

use axum::body::Body;
use axum::http::{HeaderName, Method, Request, header};
use serde_json::json;

use crate::util::test_app::{Answer, TestApp, on_both};

/// The problem of a refusal is written out and names its request.
fn assert_problem(answer: &Answer, status: u16, code: &str) {
    let problem = answer.expect(status);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_eq!((problem["code"].as_str(), problem["status"].as_u64()), (Some(code), Some(u64::from(status))));
    assert_eq!(problem["instance"].as_str(), Some(answer.header("x-request-id")));
    assert_eq!(problem["type"].as_str(), Some(format!("/docs/errors/{code}").as_str()));
}

on_both! {
    async fn health_is_anonymous_on_both_ports(app: TestApp) {
        for caller in [app.anon(), app.browser()] {
            assert_eq!(caller.get("/health").await.expect(200), json!({ "status": "ok" }));
            let readiness = caller.get("/health/ready").await.expect(200);
            assert_eq!(readiness["role"], "all");
            assert_eq!(readiness["checks"]["database"]["ok"], true);
        }
        app.app.shutdown.drain();
        assert_eq!(app.anon().get("/health/ready").await.expect(503)["status"], "not_ready");
    }
}

#[tokio::test]
async fn what_does_not_exist_is_a_problem_with_its_request_s_id() {
    let app = TestApp::sqlite().await;
    assert_problem(&app.anon().get("/nowhere").await, 404, "not_found");
    assert_problem(&app.anon().post("/health", json!({})).await, 405, "method_not_allowed");
    assert!(app.anon().get("/health").await.header("x-request-id").starts_with("req_"));
}

#[tokio::test]
async fn bodies_are_checked_before_anything_else_looks_at_them() {
    let app = TestApp::sqlite().await;
    let login = |kind: &str, body: String| {
        let request = Request::builder().method(Method::POST).uri("/api/v1/login").header(header::CONTENT_TYPE, kind);
        let request = request.body(Body::from(body)).expect("a request");
        let caller = app.anon();
        async move { caller.send_raw(request).await }
    };
    let json = "application/json";
    assert_problem(&login("text/plain", "{}".to_owned()).await, 415, "unsupported_media_type");
    assert_problem(&login(json, "{".to_owned()).await, 400, "invalid_json");
    assert_problem(&login(json, " ".repeat(65 * 1024)).await, 413, "too_large");
    let unknown = login(json, r#"{"email":"a@b.c","password":"x","remember":true}"#.to_owned()).await;
    assert_problem(&unknown, 400, "invalid");
    assert_eq!(unknown.json()["errors"][0]["field"], "remember");
    assert_problem(
        &login(json, r#"{"email":"a@b.c","email":"a@b.c","password":"x"}"#.to_owned()).await,
        400,
        "duplicate_key",
    );
}

#[tokio::test]
async fn a_list_where_an_object_belongs_is_refused_with_its_path() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    let egress = "/api/v1/security/egress/workspace";
    let seen = admin.clone().header(header::IF_MATCH, admin.get(egress).await.header("etag"));
    let price = json!({ "match_ref": "model:a:b", "currency": "USD", "rates": ["1", "2"] });
    let model = json!({ "model_id": "m", "pricing": ["USD", { "input": "1", "output": "1" }] });
    let account = json!({ "name": "A", "slug": "a", "kind": "openai_compatible", "base_url": "https://a.test/v1" });
    let account = admin.post("/api/v1/modelhub/providers", account).await.expect(201);
    let models = format!("/api/v1/modelhub/providers/{}/models", account["id"].as_str().expect("an id"));
    for (answer, field) in [
        (seen.send(Method::PUT, egress, Some(json!({ "rules": [[null, ["https"], "a.test"]] }))).await, "rules[0]"),
        (admin.post("/api/v1/modelhub/prices", price).await, "rates"),
        (admin.post(&models, model).await, "pricing"),
    ] {
        assert_problem(&answer, 400, "invalid");
        assert_eq!(answer.json()["errors"][0]["field"], field);
    }
    for path in ["/api/v1/login", "/api/v1/api-keys", "/api/v1/billing/budgets"] {
        assert_problem(&admin.post(path, json!(["a", ["read"]])).await, 400, "invalid_json");
    }
}

#[tokio::test]
async fn an_idempotency_key_without_form_is_refused_before_anything_is_made() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    let name = HeaderName::from_static("idempotency-key");
    let key = json!({ "name": "k", "scopes": ["read"] });
    for wrong in ["", "a b", &"k".repeat(256)] {
        let refused = admin.clone().header(name.clone(), wrong).post("/api/v1/api-keys", key.clone()).await;
        assert_problem(&refused, 400, "idempotency_key_invalid");
        assert_eq!(refused.json()["errors"][0]["field"], "Idempotency-Key");
    }
    assert_eq!(admin.get("/api/v1/api-keys").await.expect(200)["items"], json!([]));
    admin.header(name, "a-1").post("/api/v1/api-keys", key).await.expect(201);
}

#[tokio::test]
async fn answers_tell_browsers_what_they_may_do() {
    let app = TestApp::with_settings(&[("PUBLIC_URL", "https://soit.example.com")]).await;
    for answer in
        [app.anon().get("/health").await, app.anon().get("/nowhere").await, app.browser().get("/health").await]
    {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
            ("strict-transport-security", "max-age=31536000"),
        ] {
            assert_eq!(answer.header(name), value, "{name}");
        }
        assert!(answer.header("content-security-policy").starts_with("default-src 'none'"));
    }
}

#[tokio::test]
async fn scripts_of_other_sites_are_let_in_by_name_only() {
    let app = TestApp::with_settings(&[("CORS_ALLOWED_ORIGINS", "https://site.example.com")]).await;
    let preflight = |origin: &str| {
        let caller = app.anon().header(header::ORIGIN, origin);
        let caller = caller.header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST");
        async move { caller.send(Method::OPTIONS, "/v1/chat/completions", None).await }
    };
    let named = preflight("https://site.example.com").await;
    assert_eq!(named.header("access-control-allow-origin"), "https://site.example.com");
    assert_eq!(named.header("access-control-allow-credentials"), "");
    assert_eq!(preflight("https://other.example.com").await.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn metrics_ask_for_their_token_and_hold_no_paths() {
    let app = TestApp::with_settings(&[("METRICS_TOKEN", "scrape-me")]).await;
    assert_problem(&app.anon().get("/metrics").await, 401, "unauthenticated");
    assert_problem(&app.anon().bearer("scrape-you").get("/metrics").await, 401, "invalid_credentials");
    app.anon().get("/made-up-path").await;
    let metrics = app.anon().bearer("scrape-me").get("/metrics").await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.text.contains("soit_http_requests_total{route=\"unmatched\",method=\"GET\",status=\"404\"} 1"));
    assert!(metrics.text.contains("soit_dependency_up{name=\"database\"} 1") && !metrics.text.contains("made-up-path"));
}

#[tokio::test]
async fn a_problem_s_type_leads_to_its_page() {
    let app = TestApp::sqlite().await;
    let problem = app.anon().get("/nowhere").await.json();
    let page = app.anon().get(problem["type"].as_str().expect("a type")).await;
    assert_eq!(page.status, 200);
    assert!(page.text.starts_with("# Not found"));
    assert_problem(&app.anon().get("/docs/errors/no_such_code").await, 404, "not_found");
}

#[tokio::test]
async fn a_query_parameter_that_no_route_reads_is_refused_by_its_name() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    let run = admin.post("/v1/chat/completions", crate::gateway_kit::chat("model:test:echo", "hello")).await;
    let run = format!("/api/v1/runs/{}", run.header("x-soit-run-id"));
    for path in [
        "/api/v1/api-keys",
        "/api/v1/billing/budgets",
        "/api/v1/modelhub/providers",
        "/api/v1/modelhub/prices",
        "/api/v1/security/egress/workspace",
        "/api/v1/me",
        "/api/v1/me/sessions",
        "/api/v1/runs",
        run.as_str(),
        &format!("{run}/steps"),
        &format!("{run}/costs"),
        &format!("{run}/events"),
    ] {
        admin.get(path).await.expect(200);
        let refused = admin.get(&format!("{path}?zz=1")).await;
        assert_problem(&refused, 400, "invalid");
        assert_eq!(refused.json()["errors"][0]["field"], "zz", "{path}");
    }
    admin.get("/api/v1/runs?limit=1&status=succeeded").await.expect(200);
}
