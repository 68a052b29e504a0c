//! Whether this process can do its work: checks run in the background, routes only read what they found.
//!
//! Invariant: asking never waits for a dependency, and an answer never holds a host, a path or an error's text.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, join_all};
use kernel::port::Clock;
use serde::{Deserialize, Serialize};
use types::tenant::{DiagnosticCheck, Diagnostics};

use crate::shutdown::Shutdown;

/// Time between two rounds of checks.
const INTERVAL: Duration = Duration::from_secs(2);
/// Time a check may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a check found: nothing wrong, or a word for what is.
pub type Outcome = Result<(), &'static str>;
/// The same, with a word for how it is done where nothing is wrong; empty where there is nothing to say.
type Found = Result<&'static str, &'static str>;
type Probe = Box<dyn Fn() -> BoxFuture<'static, Found> + Send + Sync>;

/// One thing to check.
pub struct Check {
    name: &'static str,
    required: bool,
    probe: Probe,
}

impl Check {
    /// Something without which the process is not ready.
    pub fn required<F>(name: &'static str, probe: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let probe = move || {
            let outcome = probe();
            Box::pin(async move { outcome.await.map(|()| "") }) as BoxFuture<'static, Found>
        };
        Self { name, required: true, probe: Box::new(probe) }
    }

    /// Something that is done in one way or another, some of which are less than they should be.
    pub fn worded<F>(name: &'static str, probe: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<&'static str, &'static str>> + Send + 'static,
    {
        Self { name, required: false, probe: Box::new(move || Box::pin(probe())) }
    }

    /// Something without which the process only does less.
    pub fn reported<F>(name: &'static str, probe: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        Self { required: false, ..Self::required(name, probe) }
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").field("name", &self.name).field("required", &self.required).finish_non_exhaustive()
    }
}

/// How ready a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything works.
    Ready,
    /// It works, with less.
    Degraded,
    /// It must get no requests.
    NotReady,
}

/// A check's last outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// Whether readiness depends on it.
    pub required: bool,
    /// A word for what is wrong, or for how it is done.
    pub detail: Option<String>,
    /// How long ago it was looked at.
    pub age_ms: u64,
}

/// The answer of `/health/ready`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readiness {
    /// The sum of it all.
    pub status: Status,
    /// What kind of process.
    pub role: String,
    /// Its version.
    pub version: String,
    /// Each check by name.
    pub checks: BTreeMap<String, CheckReport>,
    /// Names of checks that are not required and not ok.
    pub degraded: Vec<String>,
}

#[derive(Debug)]
struct Finding {
    outcome: Found,
    at: Duration,
}

/// Runs the checks and remembers what they found.
pub struct Health {
    checks: Vec<Check>,
    findings: Mutex<BTreeMap<&'static str, Finding>>,
    clock: Arc<dyn Clock>,
    shutdown: Shutdown,
    role: &'static str,
}

impl std::fmt::Debug for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Health").field("checks", &self.checks).finish_non_exhaustive()
    }
}

impl Health {
    /// Health of a process with these checks; none has been looked at yet.
    pub fn new(checks: Vec<Check>, clock: Arc<dyn Clock>, shutdown: Shutdown, role: &'static str) -> Self {
        Self { checks, findings: Mutex::default(), clock, shutdown, role }
    }

    /// Looks at everything once, all at the same time.
    pub async fn check(&self) {
        let look = |check: &Check| {
            let (name, probe, patience) = (check.name, (check.probe)(), self.clock.sleep(PATIENCE));
            async move {
                tokio::select! {
                    outcome = probe => (name, outcome),
                    () = patience => (name, Err("no answer within a second")),
                }
            }
        };
        let found = join_all(self.checks.iter().map(look)).await;
        let at = self.clock.monotonic();
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, outcome) in found {
            let before = findings.insert(name, Finding { outcome, at }).map(|finding| finding.outcome);
            log_change(name, before, outcome);
        }
    }

    /// Looks again and again until nothing new is to begin.
    pub async fn watch(&self) {
        loop {
            self.check().await;
            tokio::select! {
                () = self.clock.sleep(INTERVAL) => {}
                () = self.shutdown.stopping() => return,
            }
        }
    }

    /// What was found last, for who runs the instance.
    pub fn diagnostics(&self) -> Diagnostics {
        let Readiness { status, role, version, checks, .. } = self.readiness();
        let check = |(name, report): (String, CheckReport)| DiagnosticCheck {
            name,
            ok: report.ok,
            required: report.required,
            detail: report.detail,
        };
        let status = match status {
            Status::Ready => "ready",
            Status::Degraded => "degraded",
            Status::NotReady => "not_ready",
        };
        Diagnostics { status: status.to_owned(), role, version, checks: checks.into_iter().map(check).collect() }
    }

    /// What was found last.
    pub fn readiness(&self) -> Readiness {
        let now = self.clock.monotonic();
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let mut checks = BTreeMap::new();
        for check in &self.checks {
            let finding = findings.get(check.name);
            let outcome = finding.map_or(Err("not looked at yet"), |finding| finding.outcome);
            let age = finding.map_or(Duration::ZERO, |finding| now.saturating_sub(finding.at));
            let (Ok(word) | Err(word)) = outcome;
            let report = CheckReport {
                ok: outcome.is_ok(),
                required: check.required,
                detail: Some(word.to_owned()).filter(|word| !word.is_empty()),
                age_ms: u64::try_from(age.as_millis()).unwrap_or(u64::MAX),
            };
            checks.insert(check.name.to_owned(), report);
        }
        let draining = self.shutdown.is_draining();
        let detail = draining.then(|| "shutting down".to_owned());
        checks.insert("accepting".to_owned(), CheckReport { ok: !draining, required: true, detail, age_ms: 0 });

        let degraded = checks.iter().filter(|(_, report)| !report.ok && !report.required);
        let degraded: Vec<String> = degraded.map(|(name, _)| name.clone()).collect();
        let status = if checks.values().any(|report| !report.ok && report.required) {
            Status::NotReady
        } else if degraded.is_empty() {
            Status::Ready
        } else {
            Status::Degraded
        };
        Readiness {
            status,
            role: self.role.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            checks,
            degraded,
        }
    }
}

fn log_change(name: &'static str, before: Option<Found>, now: Found) {
    match (before, now) {
        (Some(Ok(_)) | None, Err(detail)) => tracing::warn!(check = name, detail, "health check fails"),
        (Some(Err(_)), Ok(_)) => tracing::info!(check = name, "health check passes again"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::SystemClock;

    fn health(checks: Vec<Check>) -> (Health, Shutdown) {
        let shutdown = Shutdown::default();
        (Health::new(checks, Arc::new(SystemClock::start()), shutdown.clone(), "all"), shutdown)
    }

    #[tokio::test]
    async fn what_is_required_decides_and_the_rest_is_named() {
        let (health, shutdown) = health(vec![
            Check::required("database", || async { Ok(()) }),
            Check::reported("outbox", || async { Err("behind") }),
            Check::worded("limits", || async { Ok("shared") }),
        ]);
        assert_eq!(health.readiness().status, Status::NotReady, "nothing has been looked at");
        health.check().await;
        let readiness = health.readiness();
        assert_eq!((readiness.status, readiness.degraded), (Status::Degraded, vec!["outbox".to_owned()]));
        let word = |name| readiness.checks.get(name).and_then(|check: &CheckReport| check.detail.as_deref());
        assert_eq!([word("database"), word("outbox"), word("limits")], [None, Some("behind"), Some("shared")]);
        shutdown.drain();
        assert_eq!(health.readiness().status, Status::NotReady);
    }

    #[tokio::test(start_paused = true)]
    async fn a_check_that_hangs_fails_within_a_second_and_delays_no_other() {
        let (health, _) = health(vec![
            Check::required("hanging", std::future::pending::<Outcome>),
            Check::required("quick", || async { Ok(()) }),
        ]);
        health.check().await;
        let checks = health.readiness().checks;
        assert_eq!(checks.get("hanging").and_then(|check| check.detail.as_deref()), Some("no answer within a second"));
        assert!(checks.get("quick").is_some_and(|check| check.ok));
    }
}
