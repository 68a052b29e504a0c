//! What soit says of itself while its database is away.

use serde_json::json;
use testkit::database::{Fault, Proxy, TestDatabase};

use crate::gateway_kit::chat;
use crate::util::test_app::TestApp;

#[tokio::test(flavor = "multi_thread")]
async fn without_its_database_soit_says_so_refuses_calls_and_comes_back_by_itself() {
    let database = TestDatabase::postgres().await;
    let proxy = Proxy::before(database.url()).await;
    let url = proxy.url(database.url());
    let app = TestApp::start(database, &[("DATABASE_URL", &url)]).await;
    let (admin, key) = (app.admin().await, app.key(&["write"]).await);
    let call = async || key.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
    call().await.expect(200);

    proxy.set(Fault::Down);
    app.app.health.check().await;
    assert_eq!(app.anon().get("/health").await.expect(200), json!({ "status": "ok" }), "the process itself is well");
    let answer = app.anon().get("/health/ready").await;
    let readiness = answer.expect(503);
    assert_eq!((&readiness["status"], &readiness["role"]), (&json!("not_ready"), &json!("all")));
    for name in ["database", "migrations"] {
        let check = &readiness["checks"][name];
        assert_eq!(
            (&check["ok"], &check["required"], &check["detail"]),
            (&json!(false), &json!(true), &json!("no answer"))
        );
        assert!(check["age_ms"].is_u64());
    }
    assert!(!answer.text.contains("127.0.0.1") && !answer.text.contains("soit_test"), "{}", answer.text);
    let refused = call().await;
    assert_eq!(
        (refused.expect(503)["error"]["code"].as_str(), refused.header("retry-after")),
        (Some("ledger_unavailable"), "1")
    );
    assert_eq!(admin.get("/api/v1/runs").await.refusal(503), "ledger_unavailable");
    assert_eq!(app.browser().get("/sign-in").await.status, 200, "the sign-in page needs no database");

    proxy.set(Fault::None);
    app.app.health.check().await;
    assert_eq!(app.anon().get("/health/ready").await.expect(200)["checks"]["database"]["ok"], true);
    call().await.expect(200);
}
