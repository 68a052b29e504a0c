//! The connection against real servers: whom it lets in, what it says of what is wrong, and how long anything may take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use futures::future::{BoxFuture, join_all};
use kernel::port::{Clock, Limits};
use kernel::secret::SecretString;
use testkit::contract::limits::scope;
use testkit::redis::{TestRedis, instance, shared_url};
use tokio::net::TcpListener;
use tokio::time::sleep;
use types::problem::Code;

use super::{Address, Failure, Redis, RedisLimits};

const AUTHORITY: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixture/tls/localhost-ca.pem"));
/// Time in which a connection comes back by itself.
const SOON: Duration = Duration::from_secs(3);

struct TestClock;

impl Clock for TestClock {
    #[expect(clippy::disallowed_methods, reason = "limits are told by the system's clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(sleep(duration))
    }
}

fn server(url: &str, roots: Option<&[u8]>) -> Arc<Redis> {
    let address = Address::try_from(&SecretString::new(url.to_owned())).expect("a URL");
    Arc::new(Redis::new(address, roots).expect("a connection to be"))
}

/// Keeps it connected until the test ends.
fn keep(redis: &Arc<Redis>) {
    let redis = Arc::clone(redis);
    #[expect(clippy::disallowed_methods, reason = "ends with the test's runtime")]
    tokio::spawn(async move { redis.keep().await });
}

async fn until(what: impl Fn() -> bool) -> Duration {
    let started = Instant::now();
    while !what() {
        assert!(started.elapsed() < Duration::from_secs(10), "it never comes true");
        sleep(Duration::from_millis(5)).await;
    }
    started.elapsed()
}

async fn limits(url: &str) -> (Arc<Redis>, RedisLimits) {
    let redis = server(url, None);
    keep(&redis);
    until(|| redis.state().is_ok()).await;
    (Arc::clone(&redis), RedisLimits::new(redis, Arc::new(TestClock), &instance()))
}

async fn open() -> RedisLimits {
    limits(&shared_url()).await.1
}

testkit::limits_contract!(open);

#[tokio::test]
async fn who_is_let_in_and_who_is_not_is_said_without_the_password() {
    let redis = TestRedis::start(&["--requirepass", "opens-the-door"]).await;
    let at = |user: &str, number: &str| format!("redis://{user}127.0.0.1:{}{number}", redis.port());
    for (url, expected) in [
        (at(":opens-the-door@", ""), Ok(())),
        (at("default:opens-the-door@", "/15"), Ok(())),
        (at("", ""), Err(Failure::NoCredentials)),
        (at("", "/1"), Err(Failure::NoCredentials)),
        (at(":guessed-word@", ""), Err(Failure::Credentials)),
        (at("nobody:opens-the-door@", ""), Err(Failure::Credentials)),
        (at(":opens-the-door@", "/99"), Err(Failure::Database)),
        (at("", "").replace("redis://", "rediss://"), Err(Failure::Tls)),
    ] {
        let server = server(&url, None);
        let found = server.check().await;
        assert_eq!(found, expected, "{url}");
        let said = format!("{server:?} {}", found.map_err(|failure| failure.to_string()).err().unwrap_or_default());
        assert!(!said.contains("door") && !said.contains("guessed") && !said.contains("127.0.0.1"), "{said}");
        assert!(expected.err().is_none_or(Failure::is_lasting), "{url}: somebody has to act");
    }
}

#[tokio::test]
async fn over_tls_a_server_is_believed_by_its_certificate_alone() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixture/tls/");
    let file = |name: &str| format!("{folder}{name}");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let options = [
        ("--tls-port", port.to_string()),
        ("--tls-cert-file", file("localhost.pem")),
        ("--tls-key-file", file("localhost.key")),
        ("--tls-ca-cert-file", file("localhost-ca.pem")),
        ("--tls-auth-clients", "no".to_owned()),
    ];
    let options: Vec<&str> = options.iter().flat_map(|(name, value)| [*name, value.as_str()]).collect();
    let _redis = TestRedis::start(&options).await;
    let url = |scheme: &str, host: &str| format!("{scheme}://{host}:{port}");
    assert_eq!(server(&url("rediss", "localhost"), Some(AUTHORITY)).check().await, Ok(()));
    assert_eq!(server(&url("rediss", "127.0.0.1"), Some(AUTHORITY)).check().await, Ok(()));
    assert_eq!(server(&url("rediss", "localhost"), None).check().await, Err(Failure::Tls));
    let plain = server(&url("redis", "127.0.0.1"), None).check().await;
    assert!(matches!(plain, Err(Failure::Protocol | Failure::Unreachable)), "{plain:?}");
}

#[tokio::test]
async fn one_that_is_away_or_silent_is_waited_for_a_second_at_most_and_may_come_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let url = format!("redis://127.0.0.1:{port}");
    let started = Instant::now();
    assert_eq!(server(&url, None).check().await, Err(Failure::Silent));
    assert!(started.elapsed() < Duration::from_millis(1_500), "{:?}", started.elapsed());
    drop(listener);
    assert_eq!(server(&url, None).check().await, Err(Failure::Unreachable));
    assert!(!Failure::Silent.is_lasting() && !Failure::Unreachable.is_lasting());
}

#[tokio::test]
async fn a_server_that_was_killed_is_found_again_and_counts_exactly_again() {
    let mut server = TestRedis::start(&[]).await;
    let (redis, limits) = limits(&server.url()).await;
    let allowed = async |limits: &RedisLimits| limits.take(scope(1), "key", 2).await.map(|decision| decision.allowed);
    assert!(allowed(&limits).await.expect("an answer"));
    server.kill().await;
    let refused = allowed(&limits).await.expect_err("nobody counts");
    assert_eq!((refused.code(), refused.problem().retry_after), (Code::LimitsUnavailable, Some(1)));
    until(|| redis.state().is_err()).await;
    let started = Instant::now();
    assert!(allowed(&limits).await.is_err());
    assert!(started.elapsed() < Duration::from_millis(50), "while it is away nobody waits: {:?}", started.elapsed());

    server.bring_back().await;
    let took = until(|| redis.state().is_ok()).await;
    assert!(took < SOON, "{took:?}");
    let after = join_all((0..20).map(|_| allowed(&limits))).await;
    let taken = after.iter().filter(|outcome| *outcome.as_ref().expect("an answer")).count();
    assert_eq!(taken, 2, "it was empty, and counts from there");
}

#[tokio::test]
async fn a_server_that_hangs_costs_a_moment_and_then_nothing() {
    let server = TestRedis::start(&[]).await;
    let (redis, limits) = limits(&server.url()).await;
    limits.take(scope(1), "key", 10).await.expect("an answer");
    server.stand_still().await;
    let started = Instant::now();
    let outcomes = join_all((0..200).map(|_| limits.take(scope(1), "key", 10))).await;
    assert!(outcomes.iter().all(Result::is_err));
    assert!(started.elapsed() < Duration::from_millis(600), "all wait at once: {:?}", started.elapsed());
    until(|| redis.state().is_err()).await;
    let started = Instant::now();
    for _ in 0..100 {
        assert!(limits.take(scope(1), "key", 10).await.is_err());
    }
    assert!(started.elapsed() < Duration::from_millis(200), "{:?}", started.elapsed());
    server.go_on().await;
    assert!(until(|| redis.state().is_ok()).await < SOON);
    limits.take(scope(1), "other", 10).await.expect("an answer");
}

#[tokio::test]
async fn a_server_that_forgot_the_script_is_taught_it_anew() {
    let server = TestRedis::start(&[]).await;
    let (_redis, limits) = limits(&server.url()).await;
    assert!(limits.take(scope(1), "key", 2).await.expect("an answer").allowed);
    server.command("SCRIPT FLUSH").await.expect("it forgets");
    assert!(limits.take(scope(1), "key", 2).await.expect("an answer").allowed);
    assert!(!limits.take(scope(1), "key", 2).await.expect("an answer").allowed, "and forgot no call");
}

#[tokio::test]
async fn keys_name_tenant_and_limit_live_a_minute_and_hold_nothing_else() {
    let server = TestRedis::start(&[]).await;
    let (_redis, limits) = limits(&server.url()).await;
    limits.take(scope(1), "key:a", 1).await.expect("an answer");
    limits.take(scope(2), "key:a", 1).await.expect("an answer");
    let keys = server.command("KEYS *").await.expect("keys");
    let keys: Vec<&str> = keys.lines().filter(|line| line.starts_with("soit:")).collect();
    assert_eq!(keys.len(), 2);
    for (number, key) in [(1, keys[0]), (2, keys[1])].into_iter().chain([(2, keys[0]), (1, keys[1])]) {
        let scope = scope(number);
        let expected = format!(":limit:{}:{}:key:a", scope.tenant_id, scope.workspace_id);
        let other = keys.iter().filter(|known| known.ends_with(&expected)).count();
        assert_eq!(other, 1, "{key} {expected}");
        let left: u64 = server.command(&format!("PTTL {key}")).await.expect("a time")[1..].parse().expect("a number");
        assert!((55_000..=61_000).contains(&left), "{left}");
        let value = server.command(&format!("GET {key}")).await.expect("a value");
        let moment = value.lines().last().expect("a value");
        assert!(moment.bytes().all(|byte| byte.is_ascii_digit() || byte == b' '), "{moment}");
    }
}

#[tokio::test]
async fn two_instances_on_one_server_have_limits_of_their_own() {
    let (redis, first) = limits(&shared_url()).await;
    let second = RedisLimits::new(redis, Arc::new(TestClock), &instance());
    for limits in [&first, &second] {
        assert!(limits.take(scope(1), "key", 1).await.expect("an answer").allowed);
        assert!(!limits.take(scope(1), "key", 1).await.expect("an answer").allowed);
    }
}

#[tokio::test]
async fn a_full_server_lets_nobody_through_uncounted() {
    let server = TestRedis::start(&["--maxmemory", "1", "--maxmemory-policy", "noeviction"]).await;
    let redis = self::server(&server.url(), None);
    keep(&redis);
    until(|| redis.state().is_ok()).await;
    let limits = RedisLimits::new(Arc::clone(&redis), Arc::new(TestClock), &instance());
    let refused = limits.take(scope(1), "key", 1).await.expect_err("it takes no writes");
    assert_eq!(refused.code(), Code::LimitsUnavailable);
}
