//! What it costs to know who asks, how soon consumers are told, and what files of records take: of a soit process that has
//! just been under load.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::peer::Target;
use crate::report::goal;
use crate::{access, export, wire};

/// How long one cell is measured.
const CELL: Duration = Duration::from_secs(3);
/// Connections of a cell.
const CALLERS: usize = 16;
/// Rounds; the median counts.
const ROUNDS: usize = 3;

/// What was measured, as a section of the page.
pub(crate) async fn section(target: &Target) -> Result<String, String> {
    let metrics = get(target, "/metrics").await?;
    let (mut anonymous, mut known) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        anonymous.push(rate(target, "/health").await?);
        known.push(rate(target, "/api/v1/me").await?);
    }
    let (anonymous, known) = (median(anonymous), median(known));
    let mut goals = String::new();
    let asked = format!("`GET /api/v1/me` by key ÷ `GET /health`, c={CALLERS}: at least 0.6");
    goal(&mut goals, &asked, Some(known / anonymous), "", |share| share >= 0.6);
    export::goals(&mut goals, target).await?;
    access::goals(&mut goals, target).await?;
    let mut section = format!(
        "## Access, events and files, {}\n\n| goal | measured | |\n|---|--:|---|\n{goals}\nA key adds {:.1} µs to a request. ",
        target.name,
        (1.0 / known - 1.0 / anonymous) * 1e6
    );
    let bound = |share: f64| quantile(&metrics, "soit_outbox_delivery_seconds", share);
    let _ = match (bound(0.5), bound(0.99)) {
        (Some(half), Some(most)) => writeln!(
            section,
            "Of the events of the load above half were delivered within {:.0} ms of their commit, 99 % within {:.0} ms.\n",
            half * 1e3,
            most * 1e3
        ),
        _ => writeln!(section, "Nothing was delivered.\n"),
    };
    Ok(section)
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The least bucket bound that so large a share lies under.
fn quantile(metrics: &str, name: &str, share: f64) -> Option<f64> {
    let buckets: Vec<(f64, f64)> = metrics
        .lines()
        .filter_map(|line| line.strip_prefix(name)?.strip_prefix("_bucket{le=\"")?.split_once("\"} "))
        .filter_map(|(bound, count)| Some((bound.parse().unwrap_or(f64::INFINITY), count.parse().ok()?)))
        .collect();
    let (_, all) = buckets.last().copied().filter(|(_, all)| *all > 0.0)?;
    buckets.into_iter().find(|(_, count)| *count >= all * share).map(|(bound, _)| bound)
}

/// Answered requests a second.
async fn rate(target: &Target, path: &str) -> Result<f64, String> {
    let start = Instant::now();
    let callers = (0..CALLERS).map(|_| caller(target, path, start + CELL));
    let counts: Result<Vec<u32>, String> = futures::future::join_all(callers).await.into_iter().collect();
    Ok(counts?.into_iter().map(f64::from).sum::<f64>() / start.elapsed().as_secs_f64())
}

async fn caller(target: &Target, path: &str, until: Instant) -> Result<u32, String> {
    let mut sender = wire::connect(target.port).await?;
    let mut answered = 0;
    while Instant::now() < until {
        wire::ask(&mut sender, target.credential(), path).await?;
        answered += 1;
    }
    Ok(answered)
}

async fn get(target: &Target, path: &str) -> Result<String, String> {
    let body = wire::ask(&mut wire::connect(target.port).await?, target.credential(), path).await?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}
