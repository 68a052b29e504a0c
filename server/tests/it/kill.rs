//! `kill -9` at random points under load: nothing is left running, every call the upstream answered has exactly one
//! cost row, no call is sent twice, no hold is left, and the budget's counter is the sum of the rows. The same kills hit replays
//! and new workspaces: each is made once. `make chaos` kills more often and at other moments.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::util::books::{Stage, load, shared};
use crate::util::errands::Errands;
use crate::util::process::{Caller, Soit};

const CALLERS: usize = 12;
/// How soon after the last restart every errand is done: hundreds of them are done again.
const ERRANDS: Duration = Duration::from_secs(120);

/// How often each test kills, and the seed of the moments: `make chaos` sets both.
struct Chaos {
    kills: usize,
    seed: u64,
}

impl Chaos {
    fn from_env() -> Self {
        let number = |name: &str| -> Option<u64> {
            #[expect(clippy::disallowed_methods, reason = "`make chaos` tells by the environment")]
            let text = std::env::var(name).ok()?;
            Some(text.parse().unwrap_or_else(|_| panic!("`{name}` is a number, not `{text}`")))
        };
        let kills = number("CHAOS_KILLS").map_or(50, |kills| usize::try_from(kills).expect("a small number"));
        let seed = number("CHAOS_SEED").unwrap_or(37);
        Self { kills, seed }
    }

    /// When the process of a round is killed: differs from round to round and falls between any two of the calls' commits.
    fn moment(&self, round: usize) -> Duration {
        let mut hash = std::hash::DefaultHasher::new();
        (self.seed, round).hash(&mut hash);
        Duration::from_micros(40_000 + hash.finish() % 311_000)
    }
}

/// Waits until the provider has answered so many calls: a slow machine gets the time it needs, for killing nothing but
/// starts proves nothing.
async fn until_answered(stage: &Stage, calls: usize) {
    for _ in 0..2_000 {
        if stage.provider.answered().len() >= calls {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// `within`: how soon after the last restart nothing that died may be left running.
async fn nothing_is_lost(settings: &[(&str, &str)], within: Duration) {
    let chaos = Chaos::from_env();
    let mut soit = Soit::new(settings);
    soit.start().await;
    let stage = Stage::new(&soit).await;
    let mut errands = Errands::new(&soit, &stage, "one").await;
    for round in 0..chaos.kills {
        let admin = soit.admin().await;
        let key = admin.with_token(&stage.key);
        let callers = (0..CALLERS).map(|caller| load(key.clone(), format!("m{round}-{caller}"), Arc::default()));
        tokio::join!(futures::future::join_all(callers), errands.run(&admin, round), async {
            tokio::time::sleep(chaos.moment(round)).await;
            until_answered(&stage, round * 6).await;
            soit.kill().await;
        });
        soit.start().await;
    }
    errands.check(&soit.admin().await, ERRANDS).await;
    stage.check(&soit.admin().await, within).await;
    // What the dead left was closed by others, and stands in the chain like everything else.
    let chain = soit.admin().await.get("/api/v1/audit/chain/verify").await;
    assert!(chain["valid"] == true && chain["checked"].as_u64() > u64::try_from(chaos.kills * 5).ok(), "{chain}");
    let answered = stage.provider.answered().len();
    assert!(answered > chaos.kills * 5, "too few calls to prove anything: {answered}");
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

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_of_one_of_two_processes_loses_nothing_and_disturbs_nobody_at_the_other() {
    let chaos = Chaos::from_env();
    let database = TestDatabase::postgres().await;
    let settings = shared(database.url());
    let mut soits = [Soit::new(&settings), Soit::new(&settings)];
    for soit in &mut soits {
        soit.start().await;
    }
    let stage = Stage::new(&soits[0]).await;
    let admin = soits[0].admin().await;
    let key = admin.with_token(&stage.key);
    for round in 0..chaos.kills {
        let stop = Arc::<AtomicBool>::default();
        let [mortal, other] = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        let callers = |which: usize, name: &str| {
            let key = key.at(&soits[which]);
            let callers = (0..CALLERS / 2)
                .map(|caller| load(key.clone(), format!("m{round}-{name}-{caller}"), Arc::clone(&stop)));
            futures::future::join_all(callers.collect::<Vec<_>>())
        };
        let (dying, living) = (callers(mortal, "dying"), callers(other, "living"));
        let (_, statuses, ()) = tokio::join!(dying, living, async {
            tokio::time::sleep(chaos.moment(round)).await;
            until_answered(&stage, round * 6).await;
            soits[mortal].kill().await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            stop.store(true, Ordering::Relaxed);
        });
        let statuses: HashSet<u16> = statuses.into_iter().flatten().collect();
        assert!(statuses.is_subset(&[200].into()), "the other process is not disturbed: {statuses:?}");
        soits[mortal].start().await;
    }
    stage.check(&admin, Duration::from_secs(40)).await;
    let answered = stage.provider.answered().len();
    assert!(answered > chaos.kills * 5, "too few calls to prove anything: {answered}");
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
