//! Closed-loop load: so many connections, each sending its next call when the last one is answered.

use std::fmt;
use std::time::{Duration, Instant};

use http_body_util::BodyExt;

use crate::peer::Target;
use crate::upstream::{FRAMES, PACE};
use crate::wire::{self, Sender};

/// How long one cell is measured.
const CELL: Duration = Duration::from_secs(3);

/// One kind of load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    /// Connections.
    pub(crate) callers: usize,
    /// How long the upstream takes.
    pub(crate) delay_ms: u64,
    /// Whether answers are streams.
    pub(crate) stream: bool,
}

impl Shape {
    /// What is measured, in this order.
    pub(crate) const ALL: &'static [Self] = &[
        Self { callers: 1, delay_ms: 0, stream: false },
        Self { callers: 16, delay_ms: 0, stream: false },
        Self { callers: 64, delay_ms: 0, stream: false },
        Self { callers: 1, delay_ms: 20, stream: false },
        Self { callers: 64, delay_ms: 20, stream: false },
        Self { callers: 1, delay_ms: 0, stream: true },
        Self { callers: 16, delay_ms: 20, stream: true },
    ];
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.stream { "stream" } else { "whole" };
        write!(f, "{kind}, upstream {} ms, c={}", self.delay_ms, self.callers)
    }
}

/// One measured cell.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) target: String,
    pub(crate) shape: Shape,
    pub(crate) round: usize,
    /// Answered calls a second.
    pub(crate) rate: f64,
    /// Calls that were not answered with 200.
    pub(crate) errors: usize,
    /// Whole call: latency; stream: time to the first text.
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    /// Streams: 99th percentile of what a frame came later than the pace.
    pub(crate) lateness_p99: Option<Duration>,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "round {} {:<16} {}: {:.0}/s p50 {:?} p99 {:?} errors {}",
            self.round, self.target, self.shape, self.rate, self.p50, self.p99, self.errors
        )
    }
}

/// What one caller saw.
#[derive(Default)]
struct Seen {
    latencies: Vec<Duration>,
    lateness: Vec<Duration>,
    errors: usize,
}

pub(crate) fn percentile(values: &mut [Duration], hundredths: usize) -> Duration {
    values.sort_unstable();
    let index = (values.len() * hundredths / 100).min(values.len().saturating_sub(1));
    values.get(index).copied().unwrap_or_default()
}

/// One call; `Ok(None)` when it was not answered with 200.
async fn call(sender: &mut Sender, target: &Target, shape: Shape, seen: &mut Seen) -> Result<(), String> {
    sender.ready().await.map_err(|error| error.to_string())?;
    let request = target.request(shape)?;
    let start = Instant::now();
    let answer = sender.send_request(request).await.map_err(|error| error.to_string())?;
    let good = answer.status().is_success();
    let mut body = answer.into_body();
    let (mut first, mut last, mut frames) = (None, start, 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| error.to_string())?;
        let Some(data) = frame.data_ref().filter(|data| shape.stream && contains_text(data)) else { continue };
        let now = Instant::now();
        frames += count_text(data);
        if first.is_some() {
            seen.lateness.push((now - last).saturating_sub(PACE));
        } else {
            first = Some(now - start);
        }
        last = now;
    }
    if !good || (shape.stream && frames < FRAMES) {
        seen.errors += 1;
        return Ok(());
    }
    seen.latencies.push(if shape.stream { first.unwrap_or_default() } else { start.elapsed() });
    Ok(())
}

fn contains_text(data: &[u8]) -> bool {
    count_text(data) > 0
}

fn count_text(data: &[u8]) -> usize {
    data.windows(9).filter(|window| *window == b"measured ").count()
}

async fn caller(target: &Target, shape: Shape, until: Instant) -> Seen {
    let mut seen = Seen::default();
    let mut sender = None;
    while Instant::now() < until {
        let mut connection = match sender.take() {
            Some(connection) => connection,
            None => match wire::connect(target.port).await {
                Ok(connection) => connection,
                Err(_) => {
                    seen.errors += 1;
                    continue;
                }
            },
        };
        match call(&mut connection, target, shape, &mut seen).await {
            Ok(()) => sender = Some(connection),
            Err(_) => seen.errors += 1,
        }
    }
    seen
}

/// A few calls of a kind, so that pools, caches and compilers are warm. Whether any of them was answered with 200.
pub(crate) async fn warm_up(target: &Target, stream: bool) -> bool {
    let shape = Shape { callers: 4, delay_ms: 0, stream };
    let until = Instant::now() + Duration::from_millis(1_500);
    let callers: Vec<_> = (0..shape.callers).map(|_| caller(target, shape, until)).collect();
    let seen = futures::future::join_all(callers).await;
    seen.iter().any(|seen| !seen.latencies.is_empty())
}

/// Measures one cell.
pub(crate) async fn measure(target: &Target, shape: Shape, round: usize) -> Result<Sample, String> {
    let start = Instant::now();
    let callers: Vec<_> = (0..shape.callers).map(|_| caller(target, shape, start + CELL)).collect();
    let seen = futures::future::join_all(callers).await;
    let elapsed = start.elapsed().as_secs_f64();
    let mut latencies: Vec<Duration> = seen.iter().flat_map(|seen| seen.latencies.iter().copied()).collect();
    let mut lateness: Vec<Duration> = seen.iter().flat_map(|seen| seen.lateness.iter().copied()).collect();
    let calls = u32::try_from(latencies.len()).map_err(|error| error.to_string())?;
    Ok(Sample {
        target: target.name.clone(),
        shape,
        round,
        rate: f64::from(calls) / elapsed,
        errors: seen.iter().map(|seen| seen.errors).sum(),
        p50: percentile(&mut latencies, 50),
        p99: percentile(&mut latencies, 99),
        lateness_p99: shape.stream.then(|| percentile(&mut lateness, 99)),
    })
}
