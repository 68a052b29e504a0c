//! Lists of what a workspace sets up come in pages, and a page goes on where the one before ended.

use std::collections::BTreeSet;

use serde_json::json;

use crate::util::test_app::TestApp;

#[tokio::test]
async fn every_list_is_read_in_pages() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    for number in 0..3 {
        let name = format!("n{number}");
        let provider =
            json!({ "name": name, "slug": name, "kind": "openai_compatible", "base_url": "https://a.example.com/v1" });
        let budget =
            json!({ "name": name, "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1" });
        let price = json!({ "match_ref": format!("model:x:{name}"), "currency": "USD", "rates": { "input": "1", "output": "1" } });
        for (path, body) in [
            ("/api/v1/modelhub/providers", provider),
            ("/api/v1/billing/budgets", budget),
            ("/api/v1/modelhub/prices", price),
            ("/api/v1/api-keys", json!({ "name": name, "scopes": ["read"] })),
        ] {
            let made = admin.post(path, body).await;
            assert!([200, 201].contains(&made.status), "{path}: {}", made.text);
        }
    }
    let accounts = admin.get("/api/v1/modelhub/providers?limit=1").await.expect(200);
    let models = format!("/api/v1/modelhub/providers/{}/models", accounts["items"][0]["id"].as_str().expect("an id"));
    for number in 0..3 {
        admin.post(&models, json!({ "model_id": format!("m{number}") })).await.expect(201);
    }
    let lists = [
        "/api/v1/modelhub/providers",
        "/api/v1/billing/budgets",
        "/api/v1/modelhub/prices",
        "/api/v1/api-keys",
        &models,
    ];
    let mut foreign = None;
    for list in lists {
        let whole = admin.get(list).await.expect(200);
        let whole = whole["items"].as_array().expect("a list").clone();
        assert!(whole.len() >= 3, "{list}");
        let (mut seen, mut query) = (Vec::new(), "limit=2".to_owned());
        loop {
            let page = admin.get(&format!("{list}?{query}")).await.expect(200);
            seen.extend(page["items"].as_array().expect("a list").clone());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            query = format!("limit=2&cursor={cursor}");
            if let Some(foreign) = foreign.replace(cursor.to_owned()).filter(|foreign| foreign[..3] != cursor[..3]) {
                assert_eq!(admin.get(&format!("{list}?cursor={foreign}")).await.refusal(400), "invalid_cursor");
            }
        }
        assert_eq!(seen, whole, "{list}");
        assert_eq!(seen.iter().map(|item| item["id"].to_string()).collect::<BTreeSet<_>>().len(), seen.len());
        for (query, code) in [("limit=0", "invalid"), ("limit=x", "invalid"), ("cursor=x", "invalid_cursor")] {
            assert_eq!(admin.get(&format!("{list}?{query}")).await.refusal(400), code, "{list}?{query}");
        }
    }
}
