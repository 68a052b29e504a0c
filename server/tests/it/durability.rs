//! What PostgreSQL is told to survive, as PostgreSQL itself saw it.

use serde_json::json;
use testkit::database::TestDatabase;

use crate::util::test_app::TestApp;

/// Notes each change of a run, and each audit row, with the level its transaction was committed at.
const WITNESS: [&str; 4] = [
    "CREATE TABLE seen (n BIGSERIAL, what TEXT)",
    "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
        INSERT INTO seen (what) VALUES (concat_ws(' ', TG_TABLE_NAME, to_jsonb(NEW) ->> 'status', current_setting('synchronous_commit'))); \
        RETURN NEW; END $$",
    "CREATE TRIGGER note_run AFTER INSERT OR UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION note()",
    "CREATE TRIGGER note_audit AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION note()",
];

/// What is seen of a key that is made and a call that is made with it.
async fn seen(durability: &str) -> Vec<String> {
    let app = TestApp::start(TestDatabase::postgres().await, &[("LEDGER_DURABILITY", durability)]).await;
    let admin = app.admin().await;
    for statement in WITNESS {
        app.database.texts(statement).await;
    }
    let key = admin.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await.expect(201);
    let key = app.anon().bearer(key["api_key"].as_str().expect("a key"));
    let body = json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": "one" }] });
    key.post("/v1/chat/completions", body).await.expect(200);
    app.database.texts("SELECT what FROM seen ORDER BY n").await
}

#[tokio::test]
async fn an_intent_is_not_waited_for_and_everything_else_is() {
    assert_eq!(seen("standard").await, ["audit on", "runs running off", "runs succeeded on"]);
    assert_eq!(seen("strict").await, ["audit on", "runs running on", "runs succeeded on"]);
    assert_eq!(seen("process").await, ["audit off", "runs running off", "runs succeeded off"]);
}
