//! Refusals for want of power leave a trace, whichever door refused.

use serde_json::json;
use types::identity::Role;

use super::people::{at_console, first_home, new_member, post_form, signed_in};
use crate::gateway_kit::chat;
use crate::util::test_app::on_both;

on_both! {
    async fn a_refusal_is_audited_at_every_door_with_its_code_and_count(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "viewer@example.com", Role::Viewer).await;
        let viewer = signed_in(&app, "viewer@example.com").await;
        let none = json!({ "name": "k", "scopes": ["write"], "allowed_models": [] });
        let made = app.admin().await.post("/api/v1/api-keys", none).await.expect(201);
        let shut = app.anon().bearer(made["api_key"].as_str().expect("a secret"));
        assert_eq!(shut.get("/v1/models").await.expect(200)["data"], json!([]), "an empty list allows nothing");
        for _ in 0..3 {
            let refused = shut.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
            assert_eq!(refused.expect(403)["error"]["code"], "model_not_allowed");
        }
        assert_eq!(viewer.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["read"] })).await.refusal(403), "role_required");
        let console = at_console(&app, "viewer@example.com").await;
        let form = [("workspace", home.slug.as_str()), ("form[name]", "k"), ("form[scope]", "read")];
        assert_eq!(post_form(&console, "/ui/fn/create_key", &form).await.status, 403);
        assert_eq!(viewer.get("/api/v1/runs/run_00000000000000000000000000").await.status, 404, "no matter of access");

        let seen = || app.database.texts("SELECT CAST(payload AS TEXT) FROM audit WHERE event_type = 'access.denied' ORDER BY seq");
        let mut rows = seen().await;
        // They are written off the request path.
        let waited = tokio::time::timeout(std::time::Duration::from_secs(20), async {
            while rows.len() < 3 {
                tokio::task::yield_now().await;
                rows = seen().await;
            }
        });
        assert!(waited.await.is_ok(), "{rows:?}");
        let rows: Vec<serde_json::Value> = rows.iter().map(|row| serde_json::from_str(row).expect("JSON")).collect();
        let mut codes: Vec<&str> = rows.iter().map(|row| row["code"].as_str().expect("a code")).collect();
        codes.sort_unstable();
        assert_eq!(codes, ["model_not_allowed", "role_required", "role_required"], "one row a minute for each caller and code");
        assert!(rows.iter().all(|row| row["count"] == 1));
    }
}
