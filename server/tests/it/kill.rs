//! `kill -9` at random points under load: nothing is left running, every call the upstream answered has exactly one
//! cost row, no hold is left, and the budget's counter is the sum of the rows.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::util::books::{Stage, load, shared};
use crate::util::process::{Caller, Soit};

const KILLS: usize = 50;
const CALLERS: usize = 12;

/// `within`: how soon after the last restart nothing that died may be left running.
async fn nothing_is_lost(settings: &[(&str, &str)], within: Duration) {
    let mut soit = Soit::new(settings);
    soit.start().await;
    let stage = Stage::new(&soit).await;
    for kill in 0..KILLS {
        let key = soit.admin().await.with_token(&stage.key);
        let callers =
            (0..CALLERS).map(|caller| load(key.clone(), format!("m{kill}-{caller}"), std::sync::Arc::default()));
        // The moment of the kill differs from round to round and falls between any two of the calls' commits.
        let moment = Duration::from_millis(40 + u64::try_from(kill * 37 % 311).expect("small"));
        tokio::join!(futures::future::join_all(callers), async {
            tokio::time::sleep(moment).await;
            // A slow machine gets the time it needs: killing nothing but starts proves nothing.
            for _ in 0..2_000 {
                if stage.provider.answered().len() >= kill * 6 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            soit.kill().await;
        });
        soit.start().await;
    }
    stage.check(&soit.admin().await, within).await;
    let answered = stage.provider.answered().len();
    assert!(answered > KILLS * 5, "too few calls to prove anything: {answered}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_under_load_loses_nothing_on_sqlite() {
    nothing_is_lost(&[], Duration::from_secs(10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_under_load_loses_nothing_on_postgres() {
    let database = TestDatabase::postgres().await;
    nothing_is_lost(&shared(database.url()), Duration::from_secs(40)).await;
}

/// A call under a key is out when the process dies: the key works again, and the first try is booked at its worst case.
async fn a_key_works_again(settings: &[(&str, &str)], within: Duration) {
    let mut soit = Soit::new(settings);
    soit.start().await;
    let stage = Stage::new(&soit).await;
    let body = json!({"model": "model:scripted:m", "messages": [{"role": "user", "content": "slow key"}]});
    let call = |soit: &Soit, key: &Caller| {
        let request = key.at(soit).request(Method::POST, "/v1/chat/completions", Some(body.clone()));
        request.header("idempotency-key", "survives").send()
    };
    let key = soit.admin().await.with_token(&stage.key);
    let (first, ()) = tokio::join!(call(&soit, &key), async {
        while !stage.provider.received().contains("slow key") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        soit.kill().await;
    });
    assert!(first.is_err(), "the process died under it");
    stage.provider.hurry();
    soit.start().await;
    let key = soit.admin().await.with_token(&stage.key);
    let since = std::time::Instant::now();
    let answer = loop {
        let answer = call(&soit, &key).await.expect("an answer");
        if answer.status() != 409 || since.elapsed() > within {
            break answer;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    assert_eq!(answer.status(), 200, "{:?}", answer.text().await);
    let admin = soit.admin().await;
    let runs = admin.get("/api/v1/runs?sort=started_at").await;
    let runs = runs["items"].as_array().expect("items");
    let told: Vec<_> = runs.iter().map(|run| (&run["status"], &run["error"]["code"], &run["attempt_no"])).collect();
    let (failed, succeeded) = (json!("failed"), json!("succeeded"));
    assert_eq!(told, [(&failed, &json!("process_lost"), &json!(1)), (&succeeded, &Value::Null, &json!(2))]);
    assert_eq!(runs[1]["source_run_id"], runs[0]["id"]);
    for run in runs {
        let costs = admin.get(&format!("/api/v1/runs/{}/costs", run["id"].as_str().expect("an id"))).await;
        let costs = costs["items"].as_array().expect("items");
        assert_eq!((costs.len(), &costs[0]["usage_basis"] == "hold"), (1, run["status"] == "failed"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_works_again_after_kill_9_on_sqlite() {
    a_key_works_again(&[], Duration::from_secs(10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_works_again_after_kill_9_on_postgres() {
    let database = TestDatabase::postgres().await;
    a_key_works_again(&shared(database.url()), Duration::from_secs(40)).await;
}
