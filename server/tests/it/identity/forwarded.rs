//! `X-Forwarded-For` at a real listener: it satisfies a key's list of addresses where a trusted proxy wrote it, and nowhere else.

use reqwest::Method;
use serde_json::json;
use testkit::database::{Engine, TestDatabase};

use crate::util::books::shared;
use crate::util::process::Soit;

/// What a key for one address is answered, with a header that says so and one that names another.
async fn answered(engine: Engine, more: &[(&str, &str)]) -> [u16; 3] {
    let database = TestDatabase::new(engine).await;
    let mut settings = match engine {
        Engine::Postgres => shared(database.url()).to_vec(),
        Engine::Sqlite => vec![("DATABASE_URL", database.url())],
    };
    settings.extend(more);
    let mut soit = Soit::new(&settings);
    soit.start().await;
    let admin = soit.admin().await;
    let key = json!({ "name": "k", "scopes": ["read"], "ip_allowlist": ["203.0.113.7/32"] });
    let key = admin.post("/api/v1/api-keys", key).await;
    let key = admin.with_token(key["api_key"].as_str().expect("a key"));
    let mut statuses = [0; 3];
    for (status, says) in statuses.iter_mut().zip([None, Some("203.0.113.7"), Some("203.0.113.7, 203.0.113.8")]) {
        let mut request = key.request(Method::GET, "/api/v1/me", None);
        if let Some(says) = says {
            request = request.header("x-forwarded-for", says);
        }
        *status = request.send().await.expect("an answer").status().as_u16();
    }
    statuses
}

async fn only_a_trusted_proxy_is_believed(engine: Engine) {
    assert_eq!(answered(engine, &[]).await, [403; 3], "anybody may say anything");
    let trusted = [("TRUSTED_PROXIES", "127.0.0.0/8")];
    assert_eq!(
        answered(engine, &trusted).await,
        [403, 200, 403],
        "what the proxy itself saw counts, not what it was told"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_trusted_proxy_is_believed_on_sqlite() {
    only_a_trusted_proxy_is_believed(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_trusted_proxy_is_believed_on_postgres() {
    only_a_trusted_proxy_is_believed(Engine::Postgres).await;
}
