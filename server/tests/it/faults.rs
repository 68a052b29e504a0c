//! Faults of what soit stands on, under load: a database that is away, a process that stands still longer than its lease,
//! a disk that takes nothing more. Whatever happens, the books are right afterwards.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::database::{Fault, Proxy, TestDatabase};

use crate::util::books::{Stage, call, load, shared};
use crate::util::process::{Caller, Soit};

/// How soon after a fault nothing may be left running: deferred settlements pause between tries.
const QUIET: Duration = Duration::from_secs(60);
const CALLERS: usize = 8;
/// How long the database is away: longer than a transaction, a heartbeat and a process's own lease may take.
const OUTAGE: Duration = Duration::from_secs(30);

/// Callers until told to stop.
struct Load {
    stop: Arc<AtomicBool>,
    callers: tokio::task::JoinHandle<Vec<Vec<u16>>>,
}

impl Load {
    fn start(key: &Caller, name: &str) -> Self {
        let stop = Arc::<AtomicBool>::default();
        let callers = (0..CALLERS).map(|caller| load(key.clone(), format!("{name}-{caller}"), Arc::clone(&stop)));
        let callers = futures::future::join_all(callers);
        #[expect(clippy::disallowed_methods, reason = "is waited for")]
        let callers = tokio::spawn(callers);
        Self { stop, callers }
    }

    /// Every status there was.
    async fn stop(self) -> HashSet<u16> {
        self.stop.store(true, Ordering::Relaxed);
        self.callers.await.expect("the callers").into_iter().flatten().collect()
    }
}

/// Waits until a call is answered well.
async fn until_served(key: &Caller, name: &str) {
    for number in 0..600 {
        if call(key, &format!("{name}-{number}"), false).await == Some(200) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no call is served any more");
}

async fn a_database_that_goes_away_is_waited_for(fault: Fault) {
    let database = TestDatabase::postgres().await;
    let proxy = Proxy::before(database.url()).await;
    let url = proxy.url(database.url());
    let settings = shared(&url);
    let (mut soit, mut other) = (Soit::new(&settings), Soit::new(&settings));
    soit.start().await;
    other.start().await;
    let stage = Stage::new(&soit).await;
    let admin = soit.admin().await;
    let key = admin.with_token(&stage.key);
    until_served(&key, "warm").await;

    let (load, beside) = (Load::start(&key, "load"), Load::start(&key.at(&other), "beside"));
    tokio::time::sleep(Duration::from_millis(500)).await;
    proxy.set(fault);
    tokio::time::sleep(OUTAGE).await;
    let before = stage.provider.answered().len();
    proxy.set(Fault::None);
    until_served(&key, "again").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut statuses = load.stop().await;
    statuses.extend(beside.stop().await);

    assert!(statuses.is_subset(&[200, 503].into()), "{fault:?}: {statuses:?}");
    assert!(statuses.contains(&200), "{fault:?}: {statuses:?}");
    assert!(stage.provider.answered().len() > before + 2 * CALLERS, "{fault:?}: calls go on afterwards");
    stage.check(&admin, QUIET).await;
    stage.check_usage(&admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_falls_silent_for_half_a_minute_loses_nothing() {
    a_database_that_goes_away_is_waited_for(Fault::Silent).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_refuses_for_half_a_minute_loses_nothing() {
    a_database_that_goes_away_is_waited_for(Fault::Down).await;
}

/// The runs a dead process left, with their cost rows, as they stand now.
async fn lost(admin: &Caller) -> Vec<(Value, Value)> {
    let page = admin.get("/api/v1/runs?error_code=process_lost&limit=200").await;
    let mut lost = Vec::new();
    for run in page["items"].as_array().expect("items") {
        let costs = admin.get(&format!("/api/v1/runs/{}/costs", run["id"].as_str().expect("an id"))).await;
        lost.push((run.clone(), costs));
    }
    lost
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_stood_still_beyond_its_lease_writes_nothing_more_of_what_was_reaped() {
    const SLOW: usize = 6;
    let database = TestDatabase::postgres().await;
    let settings = shared(database.url());
    let (mut first, mut second) = (Soit::new(&settings), Soit::new(&settings));
    first.start().await;
    second.start().await;
    let stage = Stage::new(&first).await;
    let admin = first.admin().await.at(&second);
    let key = admin.with_token(&stage.key);
    let slow = (0..SLOW).map(|number| {
        let key = key.at(&first);
        async move { call(&key, &format!("slow-{number}"), number % 2 == 1).await }
    });
    #[expect(clippy::disallowed_methods, reason = "is waited for")]
    let slow = tokio::spawn(futures::future::join_all(slow));
    while stage.provider.received().len() < SLOW {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    first.signal("STOP").await;
    // The provider answers; nobody is awake to hear it.
    stage.provider.hurry();
    let load = Load::start(&key, "other");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let statuses = load.stop().await;
    wait_until_lost(&admin, SLOW).await;
    assert_eq!(statuses, [200].into(), "the other process is not disturbed");
    let reaped = lost(&admin).await;
    assert_eq!(reaped.len(), SLOW);
    for (run, costs) in &reaped {
        let [cost] = costs["items"].as_array().expect("items").as_slice() else {
            panic!("one cost row: {run} {costs}")
        };
        assert_eq!((&cost["usage_basis"], &cost["pricing_status"]), (&"hold".into(), &"estimated".into()), "{run}");
    }

    first.signal("CONT").await;
    slow.await.expect("the slow callers");
    until_served(&key.at(&first), "awake").await;
    assert!(lost(&admin).await == reaped, "what was reaped stays as it is");
    stage.check(&admin, QUIET).await;
}

/// Waits until so many runs were ended by the reaper.
async fn wait_until_lost(admin: &Caller, count: usize) {
    for _ in 0..600 {
        let page = admin.get("/api/v1/runs?error_code=process_lost&limit=200").await;
        if page["items"].as_array().is_some_and(|items| items.len() >= count) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nobody reaped the runs of the process that stands still");
}

/// Starts a program with a small disk of its own in the place of its data, which only it sees.
const ON_A_SMALL_DISK: [&str; 7] = [
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    "mount -t tmpfs -o size=16m,mode=0700 small \"$DATA_DIR\" && exec \"$0\" \"$@\"",
];

/// Writes until not one block more fits.
fn fill(ballast: &Path) {
    let mut file = File::options().create(true).append(true).open(ballast).expect("the ballast");
    while file.write_all(&[0; 4096]).is_ok() {}
}

/// Status and code of a refused call or write; no code where it was done.
async fn outcome(caller: &Caller, path: &str, body: Value) -> (u16, Option<String>) {
    let answer = caller.request(Method::POST, path, Some(body)).send().await.expect("an answer");
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.expect("JSON");
    let code = body["error"]["code"].as_str().or(body["code"].as_str());
    (status, code.map(str::to_owned))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_full_refuses_by_name_loses_nothing_and_goes_on_when_there_is_room() {
    let mut soit = Soit::new(&[]).started_by(&ON_A_SMALL_DISK);
    soit.start().await;
    let stage = Stage::new(&soit).await;
    let admin = soit.admin().await;
    let key = admin.with_token(&stage.key);
    until_served(&key, "warm").await;
    let slow = (0..4).map(|number| {
        let key = key.clone();
        async move { call(&key, &format!("slow-{number}"), number % 2 == 1).await }
    });
    #[expect(clippy::disallowed_methods, reason = "is waited for")]
    let slow = tokio::spawn(futures::future::join_all(slow));
    while stage.provider.received().iter().filter(|marker| marker.starts_with("slow")).count() < 4 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    let (pid, data) = (soit.pid(), soit.data_dir().display().to_string());
    let ballast = PathBuf::from(format!("/proc/{pid}/root{data}/ballast"));
    fill(&ballast);
    let full = (503, Some("storage_full".to_owned()));
    let chat = |name: String| json!({"model": "model:scripted:m", "messages": [{"role": "user", "content": name}]});
    let budget = |name: &str| json!({"name": name, "scope_kind": "workspace", "period": "total", "currency": "USD", "amount": "1"});
    // What the log has room for already is still written, also when its copying into the file makes some anew.
    let (mut refused, mut received) = (0, stage.provider.received().len());
    for number in 0..2_000 {
        let answer = outcome(&key, "/v1/chat/completions", chat(format!("fills-{number}"))).await;
        if answer == full {
            refused += 1;
        } else {
            assert_eq!(answer, (200, None));
            (refused, received) = (0, stage.provider.received().len());
        }
        if refused == 20 {
            break;
        }
    }
    assert_eq!(refused, 20, "the disk is full in the end");
    assert_eq!(stage.provider.received().len(), received, "nothing leaves that cannot be written down");
    assert_eq!(outcome(&admin, "/api/v1/billing/budgets", budget("Refused")).await, full);
    // Calls that were out are answered; their end waits for room on the disk.
    stage.provider.hurry();
    let answers = slow.await.expect("the slow callers");
    assert!(answers.iter().all(|status| *status == Some(200)), "{answers:?}");

    std::fs::remove_file(&ballast).expect("the ballast goes");
    assert_eq!(outcome(&key, "/v1/chat/completions", chat("again".to_owned())).await, (200, None), "the next call");
    assert_eq!(outcome(&admin, "/api/v1/billing/budgets", budget("Made")).await, (201, None));
    assert_eq!(soit.pid(), pid, "without a restart");
    stage.check(&admin, QUIET).await;
}
