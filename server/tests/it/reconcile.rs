//! `soit admin reconcile-counters` beside processes under load: after kills and reaping it has nothing to say.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use testkit::database::{Engine, TestDatabase};

use crate::util::books::{Stage, load, shared};
use crate::util::process::Soit;

const ROUNDS: usize = 3;
const CALLERS: usize = 8;

fn settings(database: &TestDatabase) -> Vec<(&str, &str)> {
    match database.engine() {
        Engine::Sqlite => vec![("DATABASE_URL", database.url())],
        Engine::Postgres => shared(database.url()).to_vec(),
    }
}

async fn reconcile(soit: &Soit, arguments: &[&str]) -> (Option<i32>, String) {
    let words = ["admin", "reconcile-counters"].iter().chain(arguments).copied().collect::<Vec<&str>>();
    let output = soit.command(&words).await;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!errors.contains("error:"), "{errors}");
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

async fn says_nothing_after_kills(engine: Engine, within: Duration) {
    let database = TestDatabase::new(engine).await;
    let settings = settings(&database);
    let mut soit = Soit::new(&settings);
    soit.start().await;
    let stage = Stage::new(&soit).await;
    for round in 0..ROUNDS {
        let key = soit.admin().await.with_token(&stage.key);
        let callers = (0..CALLERS).map(|caller| load(key.clone(), format!("r{round}-{caller}"), Arc::default()));
        tokio::join!(futures::future::join_all(callers), async {
            while stage.provider.answered().len() < (round + 1) * 20 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            // Beside a process that calls: what is under way differs from nothing.
            assert_eq!(reconcile(&soit, &[]).await, (Some(0), String::new()), "under load");
            soit.kill().await;
        });
        soit.start().await;
    }
    stage.check(&soit.admin().await, within).await;
    assert_eq!(reconcile(&soit, &[]).await, (Some(0), String::new()));

    database.texts("UPDATE usage_daily SET amount = amount + 1 WHERE currency IS NOT NULL").await;
    let (code, told) = reconcile(&soit, &["--json"]).await;
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let difference = &told["differences"][0];
    assert_eq!(
        (code, &difference["table"], &difference["measure"]),
        (Some(1), &"usage_daily".into(), &"amount".into())
    );
    let (code, told) = reconcile(&soit, &["--fix"]).await;
    assert!(code == Some(1) && told.contains("amount: counter "), "{told}");
    let audited = "SELECT actor_id FROM audit WHERE event_type = 'counters.reconciled'";
    assert_eq!(database.texts(audited).await, ["cli"], "once: what was only looked at is not recorded");
    assert_eq!(reconcile(&soit, &[]).await, (Some(0), String::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_differs_after_kills_under_load_on_sqlite() {
    says_nothing_after_kills(Engine::Sqlite, Duration::from_secs(10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_differs_after_kills_under_load_on_postgres() {
    says_nothing_after_kills(Engine::Postgres, Duration::from_secs(40)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_differs_after_two_processes_shared_the_load() {
    let database = TestDatabase::postgres().await;
    let settings = shared(database.url());
    let (mut first, mut second) = (Soit::new(&settings), Soit::new(&settings));
    first.start().await;
    second.start().await;
    let stage = Stage::new(&first).await;
    let key = first.admin().await.with_token(&stage.key);
    let stop = Arc::new(AtomicBool::new(false));
    let callers = (0..CALLERS).map(|caller| {
        let key = if caller % 2 == 0 { key.clone() } else { key.at(&second) };
        load(key, format!("b{caller}"), Arc::clone(&stop))
    });
    tokio::join!(futures::future::join_all(callers), async {
        while stage.provider.answered().len() < 100 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.store(true, Ordering::Relaxed);
    });
    stage.check(&first.admin().await, Duration::from_secs(10)).await;
    assert_eq!(reconcile(&first, &[]).await, (Some(0), String::new()));
}
