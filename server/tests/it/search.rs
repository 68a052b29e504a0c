//! Things are found by a few letters or their id, and only those one may list.

use serde_json::{Value, json};
use types::identity::Role;

use crate::identity::people::{first_home, new_member, signed_in};
use crate::util::test_app::TestApp;

fn found(page: &Value) -> Vec<(&str, &str)> {
    let hits = page["items"].as_array().expect("hits").iter();
    hits.map(|hit| (hit["kind"].as_str().expect("a kind"), hit["name"].as_str().expect("a name"))).collect()
}

#[tokio::test]
async fn things_are_found_by_letters_and_by_id() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    for (email, role) in [("ada@example.com", Role::Owner), ("ben@example.com", Role::Dev)] {
        new_member(&app, &home, email, role).await;
    }
    let (owner, dev) = (signed_in(&app, "ada@example.com").await, signed_in(&app, "ben@example.com").await);
    let provider = json!({ "name": "Zebra lab", "slug": "zebra", "kind": "openai_compatible", "base_url": "https://a.example.com/v1" });
    let provider = owner.post("/api/v1/modelhub/providers", provider).await.expect(201);
    let models = format!("/api/v1/modelhub/providers/{}/models", provider["id"].as_str().expect("an id"));
    owner.post(&models, json!({ "model_id": "small-zebra" })).await.expect(201);
    let budget =
        json!({ "name": "zebra month", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1" });
    owner.post("/api/v1/billing/budgets", budget).await;
    let key = owner.post("/api/v1/api-keys", json!({ "name": "My zebra", "scopes": ["write"] })).await.expect(201);
    let chat = json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": "hi" }] });
    let caller = app.anon().bearer(key["api_key"].as_str().expect("a secret"));
    let answer = caller.post("/v1/chat/completions", chat).await;
    let run = answer.header("x-soit-run-id").to_owned();

    let all = owner.get("/api/v1/search?q=ZEB").await.expect(200);
    let names =
        [("budget", "zebra month"), ("provider", "Zebra lab"), ("api_key", "My zebra"), ("model", "small-zebra")];
    assert_eq!(found(&all), names, "what begins with the letters comes first");
    assert_eq!(all["items"][3]["parent_id"], provider["id"]);
    let by_id = owner.get(&format!("/api/v1/search?q={run}")).await.expect(200);
    assert_eq!(found(&by_id), [("run", "model:test:echo")]);
    let some = owner.get("/api/v1/search?q=zebra&kinds=budget,provider&limit=1").await.expect(200);
    assert_eq!(found(&some), [("budget", "zebra month")]);
    // The key is somebody else's.
    let others = dev.get("/api/v1/search?q=zebra&kinds=api_key").await.expect(200);
    assert!(found(&others).is_empty(), "{others}");
    for (query, field) in [("q=z", "q"), ("q=zebra&limit=21", "limit"), ("q=zebra&kinds=people", "kinds"), ("", "q")] {
        let refused = owner.get(&format!("/api/v1/search?{query}")).await;
        assert_eq!((refused.status, refused.json()["errors"][0]["field"].as_str()), (400, Some(field)), "{query}");
    }
}
