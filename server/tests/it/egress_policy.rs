//! The workspace's egress layer, through its route.

use axum::http::Method;
use axum::http::header::IF_MATCH;
use serde_json::{Value, json};

use crate::util::test_app::{Answer, Caller, on_both};

const LAYER: &str = "/api/v1/security/egress/workspace";

async fn put(caller: &Caller, revision: &str, body: Value) -> Answer {
    caller.clone().header(IF_MATCH, revision).send(Method::PUT, LAYER, Some(body)).await
}

on_both! {
    async fn a_layer_is_replaced_by_who_has_seen_it(app: TestApp) {
        let admin = app.admin().await;
        let empty = admin.get(LAYER).await;
        assert_eq!(empty.expect(200)["rules"], json!([]));
        let rules = json!({ "rules": [{ "host": "API.Example.com." }, { "host": "10.0.0.1", "schemes": ["http"], "ports": [8000] }] });

        let blind = admin.send(Method::PUT, LAYER, Some(rules.clone())).await;
        assert_eq!(blind.refusal(428), "precondition_required");
        let first = put(&admin, empty.header("etag"), rules).await;
        let layer = first.expect(200);
        assert_eq!(layer["rules"][0]["host"], "api.example.com");
        assert_eq!(first.header("etag"), format!("\"{}\"", layer["bundle_id"].as_str().expect("an id")));

        let turned = json!({ "rules": [layer["rules"][1], { "host": "api.example.com", "note": "why" }], "reason": "order" });
        let stale = put(&admin, empty.header("etag"), turned.clone()).await;
        assert_eq!((stale.refusal(412).as_str(), &stale.json()["revision"]), ("policy_conflict", &layer["bundle_id"]));
        let second = put(&admin, first.header("etag"), turned).await.expect(200);
        assert_eq!(second["bundle_id"], layer["bundle_id"]);
        assert_eq!(admin.get(LAYER).await.expect(200), second);
    }

    async fn wrong_rules_are_named_by_index(app: TestApp) {
        let admin = app.admin().await;
        let revision = admin.get(LAYER).await;
        let revision = revision.header("etag");
        for (body, field) in [
            (json!({ "rules": [{ "host": "a.test" }, { "host": "*.com*" }] }), "rules[1].host"),
            (json!({ "rules": [{ "host": "a.test", "ports": [443, 0] }] }), "rules[0].ports[1]"),
            (json!({ "rules": [{ "host": "a.test", "ports": [65536] }] }), "rules[0].ports[0]"),
            (json!({ "rules": [{ "host": "a.test", "schemes": [] }] }), "rules[0].schemes"),
            (json!({ "rules": [{ "host": "a.test", "subject": "x" }] }), "rules[0].subject"),
            (json!({ "rules": [], "private_networks": ["127.0.0.1/8"] }), "private_networks[0]"),
            (json!({ "rules": [], "private_networks": ["0.0.0.0/0"] }), "private_networks[0]"),
            (json!({ "rules": [], "private_networks": ["169.254.0.0/16"] }), "private_networks[0]"),
            (json!({ "private_networks": [] }), "rules"),
        ] {
            let refused = put(&admin, revision, body.clone()).await;
            assert_eq!((refused.refusal(400).as_str(), refused.json()["errors"][0]["field"].as_str()), ("invalid", Some(field)), "{body}");
        }
    }

    async fn changing_it_takes_a_fresh_proof_or_an_admin_key(app: TestApp) {
        let login = json!({ "email": crate::util::test_app::ADMIN_EMAIL, "password": crate::util::test_app::ADMIN_PASSWORD });
        let session = app.anon().post("/api/v1/login", login).await.expect(200);
        let stranger = app.anon().bearer(session["access_token"].as_str().expect("a token"));
        let revision = stranger.get(LAYER).await;
        let body = json!({ "rules": [] });
        assert_eq!(put(&stranger, revision.header("etag"), body.clone()).await.refusal(403), "step_up_required");
        let writer = app.key(&["write"]).await;
        assert_eq!(put(&writer, revision.header("etag"), body.clone()).await.refusal(403), "scope_required");
        assert_eq!(app.anon().get(LAYER).await.refusal(401), "unauthenticated");
    }
}
