//! Several processes on one Redis: a minute's limit is one limit wherever calls arrive, words of a run reach readers
//! everywhere, and whatever happens to Redis, nobody is let through uncounted unless that was chosen.

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adapter_outbound::redis::{Address, Redis, RedisLive};
use futures::future::{BoxFuture, FutureExt, join_all};
use kernel::port::{Heard, Live, LiveEvent, Subject};
use kernel::secret::SecretString;
use reqwest::Method;
use serde_json::{Value, json};
use server::local::{LiveHub, SystemClock, SystemIds};
use server::shutdown::Shutdown;
use testkit::contract::limits::scope;
use testkit::contract::live::{delta, is_listened_to, moved, next, run};
use testkit::database::TestDatabase;
use testkit::redis::{TestRedis, instance, shared_url};
use tokio::process::Command;
use tokio::time::sleep;

use crate::util::process::{Caller, Soit, free_port};

/// Time in which what is away is noticed, and what is back is used again.
const SOON: Duration = Duration::from_secs(5);

/// One process's end: its readers and what it says.
struct End {
    live: Arc<RedisLive>,
    redis: Arc<Redis>,
    hub: Arc<LiveHub>,
}

impl End {
    fn open(url: &str, instance: &str) -> Self {
        let address = Address::try_from(&SecretString::new(url.to_owned())).expect("a URL");
        let redis = Arc::new(Redis::new(address, None).expect("a connection to be"));
        let hub = Arc::new(LiveHub::new(Shutdown::default()));
        let live =
            Arc::new(RedisLive::new(Arc::clone(&redis), hub.clone(), Arc::new(SystemClock::start()), &SystemIds));
        let (kept, running, instance) = (Arc::clone(&redis), Arc::clone(&live), instance.to_owned());
        let loops: [BoxFuture<'static, ()>; 2] =
            [Box::pin(async move { kept.keep().await }), Box::pin(async move { running.run(&instance).await })];
        for kept in loops {
            #[expect(clippy::disallowed_methods, reason = "ends with the test's runtime")]
            tokio::spawn(kept);
        }
        Self { live, redis, hub }
    }
}

async fn ends(url: &str) -> (End, End) {
    let name = instance();
    let (first, second) = (End::open(url, &name), End::open(url, &name));
    until("both listen", async || first.live.is_up() && second.live.is_up()).await;
    (first, second)
}

async fn open() -> (Arc<RedisLive>, Arc<RedisLive>, (End, End)) {
    let (first, second) = ends(&shared_url()).await;
    (Arc::clone(&first.live), Arc::clone(&second.live), (first, second))
}

testkit::live_contract!(open);

async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < Duration::from_secs(20), "it never comes true that {what}");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn what_nobody_reads_elsewhere_is_not_sent_and_nobody_hears_themselves_twice() {
    let (first, second) = ends(&shared_url()).await;
    assert!(!first.live.has_listeners(Subject::Run(run(1))));
    first.live.publish(delta(run(1), 0, "nobody"));
    let mut own = first.live.listen(Subject::Run(run(2)));
    let mut there = second.live.listen(Subject::Run(run(2)));
    is_listened_to(&*first.live, Subject::Run(run(2))).await;
    until("the wish of the other is known", async || {
        first.live.publish(delta(run(2), 0, "again"));
        first.live.figures().sent > 0
    })
    .await;
    first.live.publish(delta(run(2), 1, "last"));
    // Both hear all of it to the end; what the others hear comes by Redis.
    for heard in [&mut there, &mut own] {
        while next(heard).await != Heard::Event(delta(run(2), 1, "last")) {}
    }
    sleep(Duration::from_millis(100)).await;
    assert_eq!(next(&mut own).now_or_never(), None, "no echo");
    assert_eq!((first.live.figures().heard, first.live.figures().dropped), (0, 0));
}

#[tokio::test]
async fn a_redis_that_was_killed_leaves_readers_told_that_they_lag_and_carries_words_again() {
    let mut redis = TestRedis::start(&[]).await;
    let (first, second) = ends(&redis.url()).await;
    let subject = Subject::Workspace(scope(1));
    let mut heard = second.live.listen(subject);
    is_listened_to(&*first.live, subject).await;
    first.live.publish(LiveEvent::Changed(scope(1), moved(1)));
    assert_eq!(next(&mut heard).await, Heard::Event(LiveEvent::Changed(scope(1), moved(1))));

    redis.kill().await;
    until("both notice", async || !first.live.is_up() && !second.live.is_up()).await;
    first.live.publish(LiveEvent::Changed(scope(1), moved(2)));
    second.live.publish(LiveEvent::Changed(scope(1), moved(3)));
    assert_eq!(next(&mut heard).await, Heard::Event(LiveEvent::Changed(scope(1), moved(3))), "one's own go on");

    redis.bring_back().await;
    let started = Instant::now();
    assert_eq!(next(&mut heard).await, Heard::Lagged);
    until("both listen", async || first.live.is_up() && second.live.is_up()).await;
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    first.live.publish(LiveEvent::Changed(scope(1), moved(4)));
    let mut after = next(&mut heard).await;
    while after == Heard::Lagged {
        after = next(&mut heard).await;
    }
    assert_eq!(after, Heard::Event(LiveEvent::Changed(scope(1), moved(4))));
    assert!(first.hub.listeners() == 0 && first.redis.state().is_ok());
}

#[tokio::test]
async fn a_redis_that_hangs_delays_nobody_who_speaks_and_readers_learn_of_it() {
    let redis = TestRedis::start(&[]).await;
    let (first, second) = ends(&redis.url()).await;
    let subject = Subject::Run(run(1));
    let mut heard = second.live.listen(subject);
    is_listened_to(&*first.live, subject).await;
    redis.stand_still().await;
    let started = Instant::now();
    for number in 0..5_000 {
        first.live.publish(delta(run(1), number, "word "));
    }
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    until("it is noticed", async || first.redis.state().is_err() && !second.live.is_up()).await;
    redis.go_on().await;
    while next(&mut heard).await != Heard::Lagged {}
    assert!(first.live.figures().dropped > 0);
}

/// Two processes on one database and one Redis.
async fn both(database: &TestDatabase, redis: &str, further: &[(&str, &str)]) -> (Soit, Soit) {
    let settings = [&settings(database, redis)[..], further].concat();
    let (mut first, mut second) = (Soit::new(&settings), Soit::new(&settings));
    first.start().await;
    second.start().await;
    (first, second)
}

fn settings<'a>(database: &'a TestDatabase, redis: &'a str) -> [(&'static str, &'a str); 4] {
    [
        ("DATABASE_URL", database.url()),
        ("REDIS_URL", redis),
        ("STORAGE_SHARED", "true"),
        ("SECRET_KEY", "a-key-for-tests-of-thirty-two-bytes-or-more"),
    ]
}

async fn key(admin: &Caller, per_minute: Option<u32>) -> Caller {
    let command = json!({"name": "key", "scopes": ["write"], "rate_limit_per_minute": per_minute});
    let made = admin.post("/api/v1/api-keys", command).await;
    admin.with_token(made["api_key"].as_str().expect("a key"))
}

fn call(caller: &Caller) -> reqwest::RequestBuilder {
    let body = json!({"model": "model:test:echo", "messages": [{"role": "user", "content": "one"}]});
    caller.request(Method::POST, "/v1/chat/completions", Some(body))
}

async fn status(caller: &Caller) -> u16 {
    call(caller).send().await.expect("an answer").status().as_u16()
}

/// Statuses of so many calls at once, by turns at both processes.
async fn statuses(callers: &[Caller; 2], count: usize) -> Vec<u16> {
    join_all((0..count).map(|number| status(&callers[number % 2]))).await
}

async fn readiness(soit: &Soit, admin: &Caller) -> Value {
    admin.at(soit).get("/health/ready").await
}

fn words(readiness: &Value) -> [&Value; 3] {
    ["redis", "limits", "live_fanout"].map(|name| &readiness["checks"][name]["detail"])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_n_a_minute_admits_exactly_n_over_two_processes() {
    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database, &shared_url(), &[]).await;
    let admin = first.admin().await;
    let key = key(&admin, Some(6)).await;
    let started = Instant::now();
    let callers = [key.clone(), key.at(&second)];
    let statuses = statuses(&callers, 60).await;
    // A sixth of a minute frees one more.
    let freed = usize::try_from(started.elapsed().as_secs() / 10).expect("small");
    let admitted = statuses.iter().filter(|status| **status == 200).count();
    assert!((6..=6 + freed).contains(&admitted), "{statuses:?} in {:?}", started.elapsed());
    assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
    let refused = call(&callers[1]).send().await.expect("an answer");
    if refused.status() == 429 {
        let wait: u64 = refused.headers()["retry-after"].to_str().expect("a number").parse().expect("a number");
        assert!((1..=10).contains(&wait), "{wait}");
    }
    for soit in [&first, &second] {
        let readiness = readiness(soit, &admin).await;
        assert_eq!(readiness["status"], "ready", "{readiness}");
        assert_eq!(words(&readiness), [&Value::Null, &json!("shared"), &json!("redis")], "{readiness}");
    }
    let metrics = admin.request(Method::GET, "/metrics", None).send().await.expect("an answer");
    let metrics = metrics.text().await.expect("metrics");
    assert!(metrics.contains("soit_limits_decisions_total{by=\"shared\"} 30"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_redis_calls_with_a_limit_are_refused_others_go_on_and_it_comes_back_by_itself() {
    let database = TestDatabase::postgres().await;
    let mut redis = TestRedis::start(&[]).await;
    let (first, second) = both(&database, &redis.url(), &[]).await;
    let admin = first.admin().await;
    let (limited, free) = (key(&admin, Some(3)).await, key(&admin, None).await);
    assert_eq!(status(&limited).await, 200);

    redis.kill().await;
    let started = Instant::now();
    let refused = call(&limited).send().await.expect("an answer");
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].to_str().ok()), (503, Some("1")));
    let refused: Value = refused.json().await.expect("JSON");
    assert_eq!(refused["error"]["code"], "limits_unavailable");
    assert!(!refused.to_string().contains("127.0.0.1"), "{refused}");
    assert_eq!([status(&free).await, status(&free.at(&second)).await], [200, 200], "who has no limit goes on");
    admin.get("/api/v1/runs").await;
    until("readiness says so", async || readiness(&first, &admin).await["status"] == "degraded").await;
    let seen = readiness(&first, &admin).await;
    assert_eq!(words(&seen)[1..], [&json!("refused"), &json!("down")], "{seen}");
    assert!(!seen.to_string().contains("127.0.0.1"), "{seen}");

    redis.bring_back().await;
    let started = Instant::now();
    until("calls are counted again", async || status(&limited).await != 503).await;
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    let callers = [limited.clone(), limited.at(&second)];
    until("the other process counts, too", async || status(&callers[1]).await != 503).await;
    let later = key(&admin, Some(5)).await;
    let statuses = statuses(&[later.clone(), later.at(&second)], 30).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 5, "{statuses:?}");
    until("readiness is well", async || readiness(&first, &admin).await["status"] == "ready").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_it_was_chosen_each_process_counts_by_itself_and_says_so() {
    let database = TestDatabase::postgres().await;
    let mut redis = TestRedis::start(&[]).await;
    let (first, second) = both(&database, &redis.url(), &[("LIMITS_ON_STORE_DOWN", "local")]).await;
    let admin = first.admin().await;
    let key = key(&admin, Some(4)).await;
    redis.kill().await;
    let callers = [key.clone(), key.at(&second)];
    let statuses = statuses(&callers, 40).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 8, "four at each: {statuses:?}");
    until("the workspace is told by both", async || {
        let events = admin.get("/api/v1/events?event_type=limits.degraded").await;
        events["items"].as_array().is_some_and(|items| items.len() == 2)
    })
    .await;
    let events = admin.get("/api/v1/events?event_type=limits.degraded").await;
    assert_eq!(events["items"][0]["payload"]["counted_by"], "process", "{events}");
    until("readiness says so", async || words(&readiness(&first, &admin).await)[1] == &json!("local")).await;
    let metrics = admin.request(Method::GET, "/metrics", None).send().await.expect("an answer");
    let metrics = metrics.text().await.expect("metrics");
    assert!(metrics.contains("soit_limits_decisions_total{by=\"local\"} 20"), "{metrics}");
    redis.bring_back().await;
    until("they are shared again", async || {
        words(&readiness(&first, &admin).await)[1] == &json!("shared")
            && words(&readiness(&second, &admin).await)[1] == &json!("shared")
    })
    .await;
    let later = self::key(&admin, Some(5)).await;
    let statuses = self::statuses(&[later.clone(), later.at(&second)], 30).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 5, "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_at_one_process_sees_the_words_of_a_run_at_the_other_unless_they_are_not_kept() {
    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database, &shared_url(), &[]).await;
    let admin = first.admin().await;
    let key = key(&admin, None).await;
    let messages = json!([{"role": "user", "content": "one"}]);
    let body = json!({"model": "model:test:pace-150", "stream": true, "messages": messages});
    for (capture, is_seen) in [("full", true), ("metadata_only", false)] {
        let call = key.request(Method::POST, "/v1/chat/completions", Some(body.clone()));
        let answer = call.header("x-soit-capture", capture).send().await.expect("an answer");
        let run = answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned();
        let path = format!("/api/v1/runs/{run}/stream");
        let there = admin.at(&second).request(Method::GET, &path, None).send();
        let read = async { there.await.expect("a stream").text().await.expect("the whole stream") };
        let (told, read) = tokio::join!(answer.text(), read);
        assert!(told.expect("a stream").contains("[DONE]"));
        let deltas = read.matches("event: delta").count();
        assert!(if is_seen { deltas >= 10 } else { deltas == 0 }, "{capture}: {read}");
        assert!(!read.contains("lagged") && read.contains("run.finished"), "{read}");
        let offsets: Vec<usize> =
            read.lines().filter_map(|line| line.strip_prefix("id: ")).filter_map(|id| id.parse().ok()).collect();
        assert_eq!(offsets, (1..=offsets.len()).collect::<Vec<_>>(), "every stored event once, in order: {read}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_at_one_process_hears_at_once_of_a_run_at_the_other() {
    use futures::StreamExt;

    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database, &shared_url(), &[]).await;
    let admin = first.admin().await;
    let path = "/api/v1/stream?topics=runs";
    let stream = admin.at(&second).request(Method::GET, path, None).send().await.expect("a stream");
    let mut stream = stream.bytes_stream();
    let mut text = String::new();
    // The first may come by the store; from then on the stream is known everywhere. Whoever waits for the store alone hears
    // of each run five seconds after the one before.
    for number in 0..4 {
        let started = Instant::now();
        let answer = call(&admin).send().await.expect("an answer");
        let run = answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned();
        while !text.contains(&run) {
            let chunk = tokio::time::timeout(Duration::from_secs(20), stream.next()).await.expect("a hint in time");
            text.push_str(std::str::from_utf8(&chunk.expect("more").expect("a body")).expect("UTF-8"));
        }
        assert!(number == 0 || started.elapsed() < Duration::from_secs(3), "{number}: {:?}", started.elapsed());
    }
}

/// What soit says when it does not start.
async fn refusal(settings: &[(&str, &str)]) -> String {
    let data = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_soit"));
    command.arg("serve").env_clear().env("ENVIRONMENT", "test").env("DATA_DIR", data.path());
    command.env("LISTEN_CONSOLE", "off").env("LISTEN_API", format!("127.0.0.1:{}", free_port()));
    command.envs(settings.iter().copied());
    let ran = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let ran = tokio::time::timeout(Duration::from_secs(60), ran).await.expect("it ends").expect("it runs");
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(1), "{said}");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redis_that_never_lets_soit_in_ends_the_start_and_its_password_is_not_said() {
    let redis = TestRedis::start(&["--requirepass", "opens-the-door"]).await;
    let port = redis.port();
    for (url, part) in [
        (format!("redis://127.0.0.1:{port}"), "asks for a password"),
        (format!("redis://:guessed-word@127.0.0.1:{port}"), "refuses the user or the password"),
        (format!("rediss://:guessed-word@127.0.0.1:{port}"), "does not speak TLS"),
        (format!("redis://:opens-the-door@127.0.0.1:{port}/99"), "has no database of the number"),
        (format!("memcached://:guessed-word@127.0.0.1:{port}"), "REDIS_URL has a wrong form"),
    ] {
        let said = refusal(&[("REDIS_URL", &url)]).await;
        assert!(said.contains("REDIS_URL") && said.contains(part), "{part}: {said}");
        assert!(!said.contains("guessed") && !said.contains("door"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_needs_redis_and_one_that_is_away_is_waited_for() {
    let database = TestDatabase::postgres().await;
    let mut redis = TestRedis::start(&[]).await;
    let url = redis.url();
    redis.kill().await;
    let mut first = Soit::new(&settings(&database, &url));
    first.start().await;
    let admin = first.admin().await;
    let seen = readiness(&first, &admin).await;
    assert_eq!((&seen["status"], words(&seen)[0]), (&json!("degraded"), &json!("unreachable")), "{seen}");
    let without: Vec<_> = settings(&database, &url).into_iter().filter(|(name, _)| *name != "REDIS_URL").collect();
    let said = refusal(&without).await;
    assert!(said.contains("redis_required") && said.contains("set REDIS_URL"), "{said}");
    redis.bring_back().await;
    until("it is there", async || readiness(&first, &admin).await["status"] == "ready").await;
}
