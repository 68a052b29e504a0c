//! Every metric is driven once and compared with its documentation.

use std::sync::Arc;
use std::time::Duration;

use adapter_outbound::redis::Figures;
use async_trait::async_trait;
use axum::http::{Method, StatusCode};
use kernel::artifact::{Kept, Swept};
use kernel::ledger::{Batch, LedgerError, Refusal};
use kernel::port::{Committed, Lag, Ledger, ObjectError};
use kernel::retention;
use kernel::task::CONTENT_SCRUB;
use testkit::sample::{self, Sample};
use types::problem::Code;
use types::retention::{PurgeCounts, Purged};
use types::run::RunStatus;

use super::{MeteredLedger, Metrics};
use crate::health::{Check, Health};
use crate::local::SystemClock;
use crate::shutdown::Shutdown;

/// Applies everything, or refuses everything.
struct Stub(Option<Refusal>);

#[async_trait]
impl Ledger for Stub {
    async fn commit(&self, _: Batch) -> Result<Committed, LedgerError> {
        match &self.0 {
            None => Ok(Committed::default()),
            Some(refusal) => Err(refusal.clone().into()),
        }
    }
}

fn value(text: &str, series: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
}

async fn commit(metrics: &Arc<Metrics>, refusal: Option<Refusal>, batch: Batch) {
    let _ = MeteredLedger::new(Arc::new(Stub(refusal)), Arc::clone(metrics)).commit(batch).await;
}

#[tokio::test]
async fn runs_steps_and_holds_are_counted_when_they_are_written() {
    let (metrics, sample) = (Arc::new(Metrics::default()), Sample::named("metrics", 1));
    let run = sample.run();
    let step = sample.step(run.id);
    let hold = sample.hold(&step, Vec::new());
    let intent = || sample.opening([sample::open_run(&run), sample::open_step(&step), sample::place(&hold)]);
    commit(&metrics, Some(Refusal::Fenced), intent()).await;
    commit(&metrics, None, intent()).await;
    let open = metrics.encode();
    assert_eq!(value(&open, "soit_ledger_refusals_total{kind=\"fenced\"}"), Some(1.0));
    assert_eq!((value(&open, "soit_active_runs"), value(&open, "soit_holds_open")), (Some(1.0), Some(1.0)));

    let end = [sample::close_step(step.id), sample::settle(&hold, 5), sample::move_run(run.id, RunStatus::Succeeded)];
    commit(&metrics, None, sample.closing(end)).await;
    let ended = metrics.encode();
    assert_eq!((value(&ended, "soit_active_runs"), value(&ended, "soit_holds_open")), (Some(0.0), Some(0.0)));
    assert_eq!(value(&ended, "soit_runs_total{mode=\"gateway\",status=\"succeeded\"}"), Some(1.0));
    assert_eq!(value(&ended, "soit_run_duration_seconds_count"), Some(1.0));
}

#[tokio::test]
async fn every_documented_metric_is_emitted_and_no_other() {
    let (metrics, sample) = (Arc::new(Metrics::default()), Sample::named("metrics", 1));
    let run = sample.run();
    let step = sample.step(run.id);
    commit(&metrics, Some(Refusal::Closed), sample.opening([])).await;
    commit(&metrics, None, sample.opening([sample::open_run(&run), sample::open_step(&step)])).await;
    let end = [sample::close_step(step.id), sample::move_run(run.id, RunStatus::Failed)];
    commit(&metrics, None, sample.closing(end)).await;
    metrics.ledger.committed(3, Duration::from_millis(2));
    metrics.ledger.retried(1);
    metrics.ledger.deferred(1);
    metrics.ledger.stuck(1);
    metrics.http.answered(Some("/health"), &Method::GET, StatusCode::OK, Duration::from_millis(1));
    metrics.gates.refused(Code::EgressDenied);
    metrics.idempotency.count("done");
    metrics.upstream.called("test", None);
    metrics.upstream.waited(run.id, Duration::from_millis(20));
    metrics.upstream.answered(run.id, Duration::from_millis(21));
    metrics.artifacts.kept(Kept { inline: 1, stored: 2, lost: 3 });
    metrics.artifacts.swept(Swept { expired: 1, orphans: 1 });
    metrics.artifacts.asked("put", &Err::<(), _>(ObjectError::Full));
    metrics.mail.tried("sent");
    metrics.tasks.ready(&[(CONTENT_SCRUB.to_owned(), 1)]);
    metrics.tasks.taken(Duration::from_millis(5));
    metrics
        .retention
        .swept(&retention::Swept { purged: PurgeCounts::from([(Purged::Runs, 1)]), ..retention::Swept::default() });
    metrics.outbox.behind(&[Lag { consumer: "live".to_owned(), ..Lag::default() }]);
    metrics.outbox.delivered(Duration::from_millis(5));
    metrics.liveness.reaped("run", 1);
    metrics.shared.counted("local");
    metrics.shared.went_over(Figures { sent: 1, heard: 2, dropped: 3 });
    let checks = vec![Check::required("database", || async { Ok(()) })];
    let health = Health::new(checks, Arc::new(SystemClock::start()), Shutdown::default(), "all");
    metrics.liveness.now(2, &health.readiness());

    let text = metrics.encode();
    let mut emitted: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let mut documented: Vec<&str> = metrics.rows().iter().map(|row| row.name).collect();
    emitted.sort_unstable();
    documented.sort_unstable();
    assert_eq!(emitted, documented);
    for row in metrics.rows() {
        let mut series = text.lines().filter(|line| line.starts_with(row.name));
        let labelled = row.labels.iter().all(|label| text.contains(&format!("{label}=\"")));
        assert!(series.next().is_some() && labelled, "{}", row.name);
    }
}

#[test]
fn the_part_of_the_time_that_is_our_own_leaves_the_provider_out() {
    let (metrics, sample) = (Metrics::default(), Sample::named("metrics", 1));
    let run = sample.run().id;
    metrics.upstream.waited(run, Duration::from_millis(900));
    metrics.upstream.waited(run, Duration::from_millis(90));
    metrics.upstream.answered(run, Duration::from_secs(1));
    metrics.upstream.answered(run, Duration::from_secs(1));
    let text = metrics.encode();
    assert_eq!(value(&text, "soit_own_overhead_seconds_count"), Some(1.0));
    assert_eq!(value(&text, "soit_own_overhead_seconds_sum"), Some(0.01));
}

#[test]
fn traffic_adds_no_series_but_those_of_known_words() {
    let metrics = Metrics::default();
    let before = metrics.encode().lines().count();
    for number in 0..1000_u32 {
        let method = Method::from_bytes(format!("M{number}").as_bytes()).unwrap();
        metrics.http.answered(None, &method, StatusCode::NOT_FOUND, Duration::ZERO);
    }
    assert!(metrics.encode().lines().count() < before + 30);
}
