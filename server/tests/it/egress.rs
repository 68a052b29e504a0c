//! The way out: no rule means no, and only what was checked is dialed.

use serde_json::{Value, json};

use crate::gateway_kit::Kit;
use crate::util::test_app::TestApp;

fn error(text: &str) -> Value {
    serde_json::from_str::<Value>(text).expect("JSON")["error"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_rule_means_no_and_the_offered_rule_means_yes() {
    let kit = Kit::closed(TestApp::sqlite().await).await;
    let model = kit.model("plain").await;
    let refused = kit.ask(&model, "x").await;
    assert_eq!(refused.status, 403);
    let envelope = error(&refused.text);
    assert_eq!((&envelope["code"], &envelope["reason"]), (&json!("egress_denied"), &json!("not_allowed")));
    let run_id = refused.header("x-soit-run-id");
    let steps = kit.of_run(run_id, "steps").await;
    assert_eq!((&steps[0]["status"], &steps[0]["metrics"]["sent"]), (&json!("failed"), &json!(false)));
    assert!(kit.of_run(run_id, "costs").await.is_empty());
    assert!(kit.upstream.calls().is_empty());

    kit.open().await;
    let answer = kit.ask(&model, "x").await;
    answer.expect(200);
    let steps = kit.of_run(answer.header("x-soit-run-id"), "steps").await;
    let egress = &steps[0]["metrics"]["gates"]["egress"];
    assert_eq!((&egress["host"], &egress["addresses"]), (&json!("127.0.0.1"), &json!(["127.0.0.1"])));
    assert_eq!(egress["port"], kit.upstream.address().port());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_address_needs_its_network_opened_too() {
    let kit = Kit::closed(TestApp::sqlite().await).await;
    let model = kit.model("plain").await;
    let path = "/api/v1/security/egress/workspace";
    let present = kit.admin.get(path).await;
    let rule = json!({ "schemes": ["http"], "host": "127.0.0.1", "ports": [kit.upstream.address().port()] });
    let admin = kit.admin.clone().header(http::header::IF_MATCH, present.header("etag"));
    admin.send(http::Method::PUT, path, Some(json!({ "rules": [rule] }))).await.expect(200);
    let refused = kit.ask(&model, "x").await;
    assert_eq!((refused.status, &error(&refused.text)["reason"]), (403, &json!("non_public_address")));
    assert!(kit.upstream.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_that_opens_nothing_reaches_no_loopback() {
    let kit = Kit::closed(TestApp::with_settings(&[("EGRESS_PRIVATE_NETWORKS", "10.0.0.0/8")]).await).await;
    let account = kit.admin.get("/api/v1/modelhub/providers").await.expect(200);
    let id = account["items"][0]["id"].as_str().expect("an id");
    let offer = kit.admin.get(&format!("/api/v1/modelhub/providers/{id}")).await.expect(200)["egress"].clone();
    assert_eq!((&offer["allowed"], &offer["openable"]), (&json!(false), &json!(false)));
}
